import { type CommandNode, spellings, standardFlags } from "../../command-kit/tree.ts";
import { UsageError } from "../../core/errors.ts";
import { didYouMean } from "../../core/text.ts";
import { topics } from "../../core/topics.ts";
import { globals, nouns } from "../generated/tree.ts";
import { wordsAt } from "../help/help.ts";

export const usageHint = "`gpuctl --help` lists the commands, and each command has --help.";

const commands = nouns.flatMap((noun) => noun.commands);

/** The error for an unknown command, with a suggestion. */
export function unknownWord(word: string, path: readonly string[]): UsageError {
  const elsewhere = commands.filter((command) => command.path.slice(1).includes(word)).map(wordsOf);
  const meant =
    elsewhere.length > 0 ? ` (Did you mean ${elsewhere.join(" or ")}?)` : didYouMean(word, wordsAt(path));
  return new UsageError(`unknown command '${word}'${meant}`, { hint: usageHint });
}

/** The error for words that have no help, with a suggestion for the first unknown one. */
export function unknownTopic(words: readonly string[]): UsageError {
  const at = words.findIndex((word, index) => !wordsAt(words.slice(0, index)).includes(word));
  const known = [...wordsAt(words.slice(0, at)), ...(at === 0 ? topics.map(({ name }) => name) : [])];
  const meant = didYouMean(words[at] ?? "", known);
  return new UsageError(`no help for ${JSON.stringify(words.join(" "))}${meant}`, {
    hint: "`gpuctl help` lists the commands and topics.",
  });
}

/** Rejects a single argument that looks like a misspelled subcommand: sending it as a prompt could cost money. */
export function rejectMisspelling(word: string, path: readonly string[]): void {
  const meant = path.length === 1 ? didYouMean(word, wordsAt(path)) : "";
  if (meant === "") return;
  throw new UsageError(`unknown command '${[...path, word].join(" ")}'${meant}`, {
    hint: "To use it as the prompt or message, pass it on stdin.",
  });
}

/** The error for an unknown flag, which may be misspelled or belong to another command. */
export function unknownFlag(flag: string, path: readonly string[]): UsageError {
  const [name = flag] = flag.split("=");
  if (flag.startsWith("-=")) {
    const rest = JSON.stringify(flag.slice(1));
    return new UsageError(`unexpected ${rest} after a short flag that takes no value`, { hint: usageHint });
  }
  const below = commands.filter((command) => path.every((word, at) => command.path[at] === word));
  const own = [...globals, ...standardFlags, ...below.flatMap(({ flags }) => flags)].flatMap(spellings);
  if (own.includes(name)) {
    return new UsageError(`${name} takes no value, but got ${JSON.stringify(flag.slice(name.length + 1))}`);
  }
  const takers = commands.filter(({ flags }) => flags.flatMap(spellings).includes(name)).map(wordsOf);
  const long = own.filter((spelling) => spelling.startsWith("--"));
  const meant = takers.length > 0 ? ` (a flag of ${takers.join(", ")})` : didYouMean(name, long);
  return new UsageError(`unknown flag '${name}'${meant}`, { hint: usageHint });
}

const wordsOf = ({ path }: CommandNode): string => path.join(" ");
