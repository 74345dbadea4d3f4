import { confirm, input, password, search, select } from "@inquirer/prompts";
import { Interrupted } from "./errors.ts";
import type { Prompts, Question } from "./world.ts";

/** Asked on stderr, so that stdout holds the result and nothing else. */
const place = { output: process.stderr };

/** A list longer than this is searched by typing. */
const longList = 10;

const validator = ({ validate }: Question) => ({ validate: (answer: string) => validate?.(answer) ?? true });

/** Ctrl-C and a closed terminal reject with `Interrupted`. */
async function ask<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && /^(ExitPromptError|AbortPromptError)$/.test(error.name))
      throw new Interrupted();
    throw error;
  }
}

export const prompts: Prompts = {
  text: (question) => ask(input({ message: question.message, ...validator(question) }, place)),
  secret: (question) => ask(password({ message: question.message, ...validator(question) }, place)),
  confirm: ({ message }) => ask(confirm({ message, default: false }, place)),
  choose: ({ message, choices }) =>
    ask(
      choices.length <= longList
        ? select({ message, choices: [...choices] }, place)
        : search({ message, source: (part) => choices.filter((one) => one.includes(part ?? "")) }, place),
    ),
};
