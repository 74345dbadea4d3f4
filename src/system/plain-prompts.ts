import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { Interrupted } from "../core/errors.ts";
import type { ChoiceQuestion, Prompts, TextQuestion } from "./types.ts";

/** Line-based prompts for screen readers and terminals that cannot move the cursor. */
export const plainPrompts: Prompts = {
  text: (question) => untilValid(question, () => line(`? ${question.message}${hint(question.initial)} `)),
  secret: (question) => untilValid(question, () => hiddenLine(`? ${question.message} [hidden] `)),
  confirm: async ({ message, initial = false }) => {
    const answer = (await line(`? ${message} ${initial ? "(Y/n)" : "(y/N)"} `)).trim();
    return answer === "" ? initial : /^y(es)?$/i.test(answer);
  },
  choose: chooseByNumber,
};

async function chooseByNumber({ message, choices, labels = {}, initial }: ChoiceQuestion): Promise<string> {
  const list = choices.map((one, index) => `  ${index + 1}) ${labels[one] ?? one}\n`).join("");
  const chosen = (answer: string) => choices[Number(answer) - 1] ?? choices.find((one) => one === answer);
  const validate = (answer: string) =>
    chosen(answer) === undefined ? `Enter a choice or its number (1 to ${choices.length})` : undefined;
  const ask = () => line(`? ${message}\n${list}? Which one?${hint(initial)} `);
  const answer = await untilValid({ message, validate, initial }, ask);
  return chosen(answer) ?? answer;
}

const hint = (initial: TextQuestion["initial"]): string => (initial ? ` (${initial})` : "");

async function untilValid(
  { validate, initial = "" }: TextQuestion,
  ask: () => Promise<string>,
): Promise<string> {
  for (;;) {
    const answer = (await ask()).trim() || initial;
    const problem = validate?.(answer);
    if (problem === undefined) return answer;
    process.stderr.write(`> ${problem}\n`);
  }
}

/** Reads a line with the terminal's own line editing. */
const line = (question: string): Promise<string> =>
  oneLine(createInterface({ input: process.stdin, terminal: false }), question);

/** Reads a line without echo. */
async function hiddenLine(question: string): Promise<string> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await oneLine(
      createInterface({ input: process.stdin, output: discard, terminal: true }),
      question,
    );
  } finally {
    process.stderr.write("\n");
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Rejects with `Interrupted` on Ctrl-C and Ctrl-D. The prompt is written after the handlers are installed. */
async function oneLine(reader: Interface, question: string): Promise<string> {
  let leave = () => {};
  try {
    return await new Promise((resolve, reject) => {
      leave = () => reject(new Interrupted());
      for (const signal of signals) process.on(signal, leave);
      reader.once("line", resolve).once("SIGINT", leave).once("close", leave);
      process.stderr.write(question);
    });
  } finally {
    for (const signal of signals) process.off(signal, leave);
    reader.close();
  }
}
