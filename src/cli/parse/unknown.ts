import { type CommandNode, everywhere, spellings } from "../../command-kit/tree.ts";
import { UsageError } from "../../core/errors.ts";
import { didYouMean } from "../../core/text.ts";
import { globals, nouns } from "../generated/tree.ts";

import { wordsAt } from "../help/help.ts";

export const usageHint = "`gpuctl --help` lists the commands, and each command has --help.";

const commands = nouns.flatMap((noun) => noun.commands);

/** The error for an unknown command, with a suggestion. */
export function unknownWord(word: string, path: readonly string[]): UsageError {
  const elsewhere = commands.filter((command) => command.path.slice(1).includes(word));
  const meant =
    asQuestion(elsewhere.map((command) => command.path.join(" "))) || didYouMean(word, wordsAt(path));
  return new UsageError(`unknown command '${word}'${meant}`, { hint: usageHint });
}

/** Rejects a lone argument that looks like a misspelt subcommand: running it as text could cost money. */
export function refuseSlip(word: string, path: readonly string[]): void {
  const meant = path.length === 1 ? didYouMean(word, wordsAt(path)) : "";
  if (meant === "") return;
  throw new UsageError(`unknown command '${[...path, word].join(" ")}'${meant}`, {
    hint: "To use the word as text, pass it on stdin.",
  });
}

const asQuestion = (lines: readonly string[]): string =>
  lines.length > 0 ? ` (Did you mean ${lines.join(" or ")}?)` : "";

/** The error for an unknown flag, which may be misspelt or belong to another command. */
export function unknownFlag(flag: string, path: readonly string[]): UsageError {
  const [name = flag] = flag.split("=");
  const below = commands.filter((command) => path.every((word, at) => command.path[at] === word));
  const own = [...[...globals, ...everywhere].flatMap(spellings), ...below.flatMap(namesOf)];
  if (flag.startsWith("-=")) {
    return new UsageError(
      `unexpected ${JSON.stringify(flag.slice(1))} after a short flag that takes no value`,
      {
        hint: usageHint,
      },
    );
  }
  if (own.includes(name))
    return new UsageError(`${name} takes no value, but got ${JSON.stringify(flag.slice(name.length + 1))}`);
  const takers = commands
    .filter((command) => namesOf(command).includes(name))
    .map((command) => command.path.join(" "));
  const meant =
    takers.length > 0
      ? `: it is a flag of ${takers.join(", ")}`
      : didYouMean(
          name,
          own.filter((spelling) => spelling.startsWith("--")),
        );
  return new UsageError(`unknown option '${name}'${meant}`, { hint: usageHint });
}

const namesOf = ({ flags }: CommandNode): readonly string[] => flags.flatMap(spellings);
