import process from "node:process";
import { styleText } from "node:util";
import { confirm, input, password, search, select } from "@inquirer/prompts";
import { Interrupted } from "../core/errors.ts";
import { wrap } from "../core/text.ts";
import { assertStdinOpen, promptInput } from "./prompt-input.ts";
import { holdMode, pasteMode } from "./terminal.ts";
import type { ChoiceQuestion, Prompts, TextQuestion } from "./types.ts";

/** Number of choices that are visible at once. */
const pageSize = 10;

/** The width of the mark and the space before a question. */
const markWidth = 2;

/** Columns for a short answer after a question. */
const answerWidth = 12;

const columns = (): number => process.stderr.columns || 80;

/**
 * Wraps a question between words, so that `room` columns are left on its last line. The library itself would wrap
 * within words.
 */
function fitted(message: string, room: number): string {
  const space = "x".repeat(Math.max(0, Math.min(room, columns() - markWidth - 1)));
  const text = wrap(`${"?".repeat(markWidth)}${message} ${space}`, columns() - 1).join("\n");
  return (
    text.slice(markWidth, text.length - space.length - 1) + (text.at(-space.length - 1) === "\n" ? "\n" : "")
  );
}

const fittedProblem = (problem: string): string => wrap(problem, columns() - markWidth - 1).join("\n");

function optionsOf({ message, validate, initial }: TextQuestion) {
  const shownDefault = initial ? initial.length + " () ".length : 0;
  return {
    message: fitted(message, shownDefault + answerWidth),
    validate: (answer: string) => {
      const problem = validate?.(answer);
      return problem === undefined || fittedProblem(problem);
    },
    ...(initial && { default: initial }),
  };
}

type Context = NonNullable<Parameters<typeof input>[1]>;

/** Signals that end a prompt. During a prompt, the Ctrl-C key sends no SIGINT, but another program may send it. */
const endSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Prompts on stderr, so that stdout holds only the result. Rejects with `Interrupted` on Ctrl-C, on Ctrl-D at an empty
 * prompt, on the `endSignals`, and when the terminal closes. Without the handlers that are added here, Inquirer would
 * wait forever after the end of stdin.
 */
async function ask<Value>(prompt: (context: Context) => Promise<Value>): Promise<Value> {
  const { stdin, stderr } = process;
  assertStdinOpen();
  const ended = new AbortController();
  const end = () => ended.abort();
  const { keys, dropTyped, open, close } = promptInput(stdin, { onCtrlC: end });
  // Readline pauses its input when it closes on Ctrl-D, and also when the process continues after Ctrl-Z. Of the
  // two, only Ctrl-D ends the prompt: after Ctrl-Z, `resume` ends the pause before `onPause` checks for one, because
  // `resume` was registered before readline's handler.
  const onPause = () => setImmediate(() => keys.isPaused() && end());
  const resume = () => setImmediate(() => keys.resume());
  keys.on("pause", onPause);
  stdin.on("end", end).on("error", end);
  process.on("SIGCONT", resume);
  for (const signal of endSignals) process.on(signal, end);
  const leavePasteMode = holdMode(stderr, pasteMode);
  try {
    await dropTyped();
    const answer = prompt({ input: keys, output: stderr, signal: ended.signal });
    // Runs after Inquirer has drawn the prompt, because Inquirer draws in a `setImmediate` that it called earlier.
    setImmediate(open);
    return await answer;
  } catch (error) {
    if (error instanceof Error && /^(ExitPromptError|AbortPromptError)$/.test(error.name))
      throw new Interrupted();
    throw error;
  } finally {
    leavePasteMode();
    keys.off("pause", onPause);
    stdin.off("end", end).off("error", end);
    process.off("SIGCONT", resume);
    for (const signal of endSignals) process.off(signal, end);
    close();
  }
}

export const prompts: Prompts = {
  text: (question) => ask((context) => input(optionsOf(question), context)),
  secret: (question) => ask((context) => password({ ...optionsOf(question), toggleMask: false }, context)),
  confirm: ({ message, initial = false }) =>
    ask((context) => confirm({ message: fitted(message, answerWidth), default: initial }, context)),
  choose: (question) => ask((context) => pick(question, context)),
  report: (outcome, text) => {
    const mark = outcome === "success" ? styleText("green", "✔") : styleText("red", "✘");
    process.stderr.write(`${mark} ${wrap(text, columns() - markWidth - 1).join("\n  ")}\n`);
  },
};

/** Adds "type to search" to the keys shown below a list, because the library leaves it out. */
const searchTheme = {
  style: {
    keysHelpTip: (keys: [key: string, action: string][]) =>
      [...keys, ["type", "to search"]]
        .map(([key = "", action = ""]) => `${styleText("bold", key)} ${styleText("dim", action)}`)
        .join(styleText("dim", " • ")),
  },
};

function pick(
  { message, choices, labels = {}, initial, always, hidesTyped }: ChoiceQuestion,
  context: Context,
): Promise<string> {
  const question = fitted(message, 0);
  const last = question.split("\n").at(-1) ?? "";
  const shown = choices.map((value) => {
    const name = labels[value] ?? value;
    const answer = name.replace(/\s{2,}/g, "  ");
    const fits = markWidth + last.length + 1 + answer.length < columns();
    return { value, name, short: fits ? answer : `\n  ${answer}` };
  });
  const options = {
    message: question,
    pageSize,
    ...(initial !== undefined && choices.includes(initial) && { default: initial }),
  };
  if (hidesTyped) return select({ ...options, choices: shown }, context);
  return search(
    { ...options, theme: searchTheme, source: (typed = "") => matching(shown, typed, always) },
    context,
  );
}

/** The choices that contain every typed word, then the choice that is always offered. */
function matching<Choice extends { readonly name: string; readonly value: string }>(
  choices: readonly Choice[],
  typed: string,
  always: string | undefined,
): readonly Choice[] {
  const words = typed.toLowerCase().split(/\s+/);
  const found = choices.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const more = choices.filter((one) => one.value === always && !found.includes(one));
  return [...found, ...more];
}
