import { confirm, input, password, search, select } from "@inquirer/prompts";
import { Interrupted } from "./errors.ts";
import type { ChoiceQuestion, Prompts, Question } from "./questions.ts";

/** A list longer than this is searched by typing. */
const longList = 10;

const validator = ({ validate }: Question) => ({ validate: (answer: string) => validate?.(answer) ?? true });

type Place = NonNullable<Parameters<typeof input>[1]>;

/** What ends a prompt from outside; Ctrl-C is one of its own keys. */
const endings = ["SIGTERM", "SIGHUP"] as const;

/**
 * Asks on stderr, so that stdout holds the result and nothing else. Ctrl-C, Ctrl-D and a closed terminal reject with
 * `Interrupted`. The library waits for ever once its input has ended, which shows by the input coming to rest.
 */
async function ask<Value>(prompt: (place: Place) => Promise<Value>): Promise<Value> {
  const { stdin } = process;
  const ended = new AbortController();
  const end = () => ended.abort();
  const atRest = () => setImmediate(() => stdin.isPaused() && end());
  const goOn = () => setImmediate(() => stdin.resume());
  stdin.on("pause", atRest).on("end", end).on("error", end);
  process.on("SIGCONT", goOn);
  for (const signal of endings) process.on(signal, end);
  try {
    return await prompt({ output: process.stderr, signal: ended.signal });
  } catch (error) {
    if (error instanceof Error && /^(ExitPromptError|AbortPromptError)$/.test(error.name))
      throw new Interrupted();
    throw error;
  } finally {
    stdin.off("pause", atRest).off("end", end).off("error", end);
    process.off("SIGCONT", goOn);
    for (const signal of endings) process.off(signal, end);
    stdin.pause();
  }
}

export const prompts: Prompts = {
  text: ({ message, initial, ...question }) =>
    ask((place) =>
      input({ message, ...(initial && { default: initial }), ...validator({ message, ...question }) }, place),
    ),
  secret: (question) =>
    ask((place) => password({ message: question.message, toggleMask: false, ...validator(question) }, place)),
  confirm: ({ message, initial = false }) => ask((place) => confirm({ message, default: initial }, place)),
  choose: (question) => ask((place) => pick(question, place)),
};

function pick({ message, choices, labels = {}, initial }: ChoiceQuestion, place: Place): Promise<string> {
  const shown = choices.map((value) => ({ value, name: labels[value] ?? value }));
  const first = initial !== undefined && choices.includes(initial) ? { default: initial } : {};
  if (choices.length <= longList) return select({ message, choices: shown, ...first }, place);
  const source = (part = "") => shown.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()));
  return search({ message, source, ...first }, place);
}
