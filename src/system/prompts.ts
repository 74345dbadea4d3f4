import process from "node:process";
import { confirm, input, password, search, select } from "@inquirer/prompts";
import { Interrupted } from "../core/errors.ts";
import type { ChoiceQuestion, Prompts, TextQuestion } from "./types.ts";

/** Longer lists get a search field. */
const maxSelectList = 10;

const optionsOf = ({ message, validate, initial }: TextQuestion) => ({
  message,
  validate: (answer: string) => validate?.(answer) ?? true,
  ...(initial && { default: initial }),
});

type Context = NonNullable<Parameters<typeof input>[1]>;

/** Signals that end a prompt. The library handles Ctrl-C. */
const endSignals = ["SIGTERM", "SIGHUP"] as const;

/**
 * Prompts on stderr, so that stdout holds only the result. Rejects with `Interrupted` on Ctrl-C, on Ctrl-D and when the
 * terminal closes: when stdin ends, Inquirer pauses it and would wait forever.
 */
async function ask<Value>(prompt: (context: Context) => Promise<Value>): Promise<Value> {
  const { stdin } = process;
  const ended = new AbortController();
  const end = () => ended.abort();
  const onPause = () => setImmediate(() => stdin.isPaused() && end());
  const resume = () => setImmediate(() => stdin.resume());
  stdin.on("pause", onPause).on("end", end).on("error", end);
  process.on("SIGCONT", resume);
  for (const signal of endSignals) process.on(signal, end);
  try {
    return await prompt({ output: process.stderr, signal: ended.signal });
  } catch (error) {
    if (error instanceof Error && /^(ExitPromptError|AbortPromptError)$/.test(error.name))
      throw new Interrupted();
    throw error;
  } finally {
    stdin.off("pause", onPause).off("end", end).off("error", end);
    process.off("SIGCONT", resume);
    for (const signal of endSignals) process.off(signal, end);
    stdin.pause();
  }
}

export const prompts: Prompts = {
  text: (question) => ask((context) => input(optionsOf(question), context)),
  secret: (question) => ask((context) => password({ ...optionsOf(question), toggleMask: false }, context)),
  confirm: ({ message, initial = false }) =>
    ask((context) => confirm({ message, default: initial }, context)),
  choose: (question) => ask((context) => pick(question, context)),
};

function pick({ message, choices, labels = {}, initial }: ChoiceQuestion, context: Context): Promise<string> {
  const shown = choices.map((value) => ({ value, name: labels[value] ?? value }));
  const first = initial !== undefined && choices.includes(initial) ? { default: initial } : {};
  if (choices.length <= maxSelectList) return select({ message, choices: shown, ...first }, context);
  const source = (part = "") => shown.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()));
  return search({ message, source, ...first }, context);
}
