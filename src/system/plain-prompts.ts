import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { Interrupted } from "../core/errors.ts";
import { interruptionSignals } from "./interruption.ts";
import { dropTime } from "./prompt-input.ts";
import type { ChoiceQuestion, Prompts, TextQuestion } from "./types.ts";

/** Line-based prompts for screen readers and terminals that cannot move the cursor. */
export const plainPrompts: Prompts = {
  text: async (question) => {
    if (question.confirms) await dropTyped();
    return untilValid(question, () => line(`? ${question.message}${hint(question.initial)} `));
  },
  secret: (question) => untilValid(question, () => hiddenLine(`? ${question.message} [hidden] `)),
  confirm: async ({ message, initial = false }) => {
    await dropTyped();
    const answer = (await line(`? ${message} ${initial ? "(Y/n)" : "(y/N)"} `)).trim();
    return answer === "" ? initial : /^y(es)?$/i.test(answer);
  },
  choose: chooseByNumber,
  report: (outcome, text) => {
    process.stderr.write(`${outcome === "success" ? "OK" : "FAILED"}: ${text}\n`);
  },
};

/**
 * Drops what was typed before a question, including part of a line, which only raw mode can read. The prompts of
 * `prompts.ts` do this as well. Throws `Interrupted` if Ctrl-C is pressed meanwhile, or the terminal closes.
 */
async function dropTyped(): Promise<void> {
  const { stdin } = process;
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  const drop = (typed: Uint8Array | string) => {
    if (String(typed).includes("\u0003")) end();
  };
  stdin.on("data", drop).on("end", end).on("error", end).setRawMode(true);
  await setTimeout(dropTime);
  stdin.pause().setRawMode(false).off("data", drop).off("end", end).off("error", end);
  if (isOver) throw new Interrupted();
}

/** If there are more choices than this, the user first enters a search text. */
const searchAbove = 20;

async function chooseByNumber(question: ChoiceQuestion): Promise<string> {
  const { message, labels = {}, initial, hidesTyped } = question;
  const choices = question.choices.length > searchAbove ? await searched(question) : question.choices;
  const list = choices.map((one, index) => `  ${index + 1}) ${labels[one] ?? one}\n`).join("");
  // Only the number of a choice is accepted, because a choice may itself be a number.
  const chosen = (answer: string) => (/^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined);
  const validate = (answer: string) =>
    chosen(answer) === undefined ? `Enter a number from 1 to ${choices.length}` : undefined;
  const at = initial === undefined ? -1 : choices.indexOf(initial);
  const number = at < 0 ? undefined : String(at + 1);
  const read = hidesTyped ? hiddenLine : line;
  const ask = () => read(`? ${message}\n${list}? Which one?${hint(number)} `);
  const answer = await untilValid({ message, validate, initial: number }, ask);
  return chosen(answer) ?? answer;
}

/**
 * Asks for a search text. Returns the choices whose name contains the text, and the choice `always`. An empty text
 * returns all choices.
 */
async function searched({ message, choices, labels = {}, always }: ChoiceQuestion) {
  const matching = (text: string) =>
    choices.filter((one) => (labels[one] ?? one).toLowerCase().includes(text.toLowerCase()));
  const validate = (text: string) =>
    matching(text).length === 0 ? "No choice contains this text" : undefined;
  const ask = () => line(`? ${message}\n? Search (Enter lists all ${choices.length}): `);
  const matches = matching(await untilValid({ message, validate }, ask));
  return choices.filter((one) => one === always || matches.includes(one));
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
async function line(question: string): Promise<string> {
  const ended = new AbortController();
  const end = () => ended.abort();
  // Added before readline's own listener, which would treat a line that Ctrl-D ends as an answer.
  process.stdin.once("end", end);
  try {
    const answer = await oneLine(createInterface({ input: process.stdin, terminal: false }), question);
    if (ended.signal.aborted) throw new Interrupted();
    return answer;
  } finally {
    process.stdin.off("end", end);
  }
}

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

/**
 * Reads one line. Rejects with `Interrupted` on Ctrl-C, on Ctrl-D, and on a signal that interrupts gpuctl. The question
 * is written after the handlers are installed.
 */
async function oneLine(reader: Interface, question: string): Promise<string> {
  let leave = () => {};
  try {
    return await new Promise((resolve, reject) => {
      leave = () => reject(new Interrupted());
      for (const signal of interruptionSignals) process.on(signal, leave);
      reader.once("line", resolve).once("SIGINT", leave).once("close", leave);
      process.stderr.write(question);
    });
  } finally {
    for (const signal of interruptionSignals) process.off(signal, leave);
    reader.close();
  }
}
