import { UsageError } from "../commands/errors.ts";
import { flagsOf } from "../commands/flags.ts";
import { commands } from "../commands/index.ts";
import { shownFlag, shownGlobals } from "../commands/shown-flag.ts";
import type { CommandSpec } from "../commands/spec.ts";
import { globalFlags } from "./globals.ts";
import { wordsAt } from "./help.ts";
import { didYouMean } from "./nearest.ts";

export const usageHint = "`gpuctl --help` lists the commands, and each command has --help.";

/** A word that is no command at its place. */
export function unknownWord(word: string, path: readonly string[]): UsageError {
  const elsewhere = commands.filter((spec) => spec.path.slice(1).includes(word));
  const meant = asQuestion(elsewhere.map((spec) => spec.path.join(" "))) || didYouMean(word, wordsAt(path));
  return new UsageError(`unknown command '${word}'${meant}`, { hint: usageHint });
}

/** A lone word that is nearly one of the commands below a command that takes a text, and may cost something. */
export function refuseSlip(word: string, path: readonly string[]): void {
  const meant = path.length === 1 ? didYouMean(word, wordsAt(path)) : "";
  if (meant === "") return;
  throw new UsageError(`unknown command '${[...path, word].join(" ")}'${meant}`, {
    hint: "If it is meant as a text, let stdin give it.",
  });
}

const asQuestion = (lines: readonly string[]): string =>
  lines.length > 0 ? ` (Did you mean ${lines.join(" or ")}?)` : "";

/** A flag that the command does not take: perhaps it is misspelt, perhaps it is one of another command. */
export function unknownFlag(flag: string, path: readonly string[]): UsageError {
  const [name = flag] = flag.split("=");
  const below = commands.filter((spec) => path.every((word, at) => spec.path[at] === word));
  const own = [...shownGlobals(globalFlags).flatMap(({ names }) => names), ...below.flatMap(namesOf)];
  if (flag.startsWith("-=")) {
    return new UsageError(`"${flag.slice(1)}" stands after a short flag that takes no value`, {
      hint: usageHint,
    });
  }
  if (own.includes(name))
    return new UsageError(`${name} takes no value, and "${flag.slice(name.length + 1)}" was given`);
  const takers = commands.filter((spec) => namesOf(spec).includes(name)).map((spec) => spec.path.join(" "));
  const meant =
    takers.length > 0
      ? `: ${takers.length > 1 ? "those that take it are" : "the one that takes it is"} ${takers.join(", ")}`
      : didYouMean(
          name,
          own.filter((one) => one.startsWith("--")),
        );
  return new UsageError(`unknown option '${name}'${meant}`, { hint: usageHint });
}

const namesOf = (spec: CommandSpec): readonly string[] =>
  flagsOf(spec).flatMap((flag) => shownFlag(spec)(flag).names);
