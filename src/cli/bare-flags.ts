import type { Command } from "commander";
import type { CommandFlag } from "../commands/flags.ts";
import { parseDuration } from "../output/durations.ts";

/**
 * Gives the flags that may stand without a value the one that they stand for, before the command reads its words: the
 * next word belongs to such a flag only when it looks like a duration.
 */
export function fillBareFlags(command: Command, flags: readonly CommandFlag[]): void {
  const bare = new Map(
    flags.flatMap(({ names, bare: usual }) =>
      usual === undefined ? [] : names.map((name) => [`--${name}`, usual] as const),
    ),
  );
  if (bare.size === 0) return;
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (words) => parseOptions(filled(words, bare, takesNext(command)));
}

/** Whether the word after this one is its value. */
const takesNext =
  ({ options }: Command) =>
  (word: string): boolean =>
    options.some(({ required, long, short }) => required && (word === long || word === short));

function filled(
  words: readonly string[],
  bare: ReadonlyMap<string, string>,
  takesValue: (word: string) => boolean,
): string[] {
  const whole: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const next = words[at + 1];
    const usual = bare.get(word);
    if (word === "--") return [...whole, ...words.slice(at)];
    if (usual !== undefined) {
      const own = next !== undefined && isSpan(next);
      whole.push(`${word}=${own ? next : usual}`);
      if (own) at += 1;
    } else {
      whole.push(word);
      if (takesValue(word) && next !== undefined) {
        whole.push(next);
        at += 1;
      }
    }
  }
  return whole;
}

/** A number without a unit counts as well, so that the unit is asked for. */
const isSpan = (word: string): boolean => parseDuration(word) !== undefined || /^\d/.test(word);
