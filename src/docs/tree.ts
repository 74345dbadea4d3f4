import { flagsOf } from "../commands/flags.ts";
import type { GlobalFlag } from "../commands/global-flag.ts";
import type { Noun } from "../commands/index.ts";
import { type ShownFlag, shownFlag, shownGlobals } from "../commands/shown-flag.ts";
import type { CommandSpec } from "../commands/spec.ts";

/** A place on the command line: gpuctl itself, a group of commands, or a command. */
export interface Place {
  /** The words that lead here, with blanks between; empty for gpuctl itself. */
  readonly path: string;
  readonly below: readonly Word[];
  /** The flags of a command; the global ones are not among them. */
  readonly flags: readonly ShownFlag[];
}

export interface Word {
  readonly name: string;
  readonly summary: string;
}

/** Everything that a completion needs to know. */
export interface Tree {
  readonly places: readonly Place[];
  readonly globals: readonly ShownFlag[];
}

export function treeOf(nouns: readonly Noun[], globals: readonly GlobalFlag[]): Tree {
  const specs = nouns.flatMap(({ commands }) => commands);
  const paths = new Set(specs.flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1).join(" "))));
  return {
    globals: shownGlobals(globals),
    places: [{ path: "", below: nouns, flags: [] }, ...[...paths].map((path) => place(path, specs))],
  };
}

function place(path: string, specs: readonly CommandSpec[]): Place {
  const own = specs.find((spec) => spec.path.join(" ") === path);
  return {
    path,
    below: wordsBelow(path.split(" "), specs),
    flags: own ? flagsOf(own).map(shownFlag(own)) : [],
  };
}

/** The next words after a path. A word that is no command by itself is told by what can follow it. */
function wordsBelow(path: readonly string[], specs: readonly CommandSpec[]): readonly Word[] {
  const inside = specs.filter(
    (spec) => spec.path.length > path.length && path.every((word, at) => spec.path[at] === word),
  );
  const names = [...new Set(inside.flatMap((spec) => spec.path[path.length] ?? []))];
  return names.map((name) => {
    const under = inside.filter((spec) => spec.path[path.length] === name);
    const own = under.find((spec) => spec.path.length === path.length + 1);
    return { name, summary: own?.summary ?? under.map((spec) => spec.path.at(-1)).join(" or ") };
  });
}

/** Every spelling of every flag whose value is the next word, so that the value is not taken for a command. */
export const valueFlags = ({ places, globals }: Tree): readonly string[] => [
  ...new Set(
    [...globals, ...places.flatMap(({ flags }) => flags)]
      .filter(({ value, bare }) => value !== undefined && !bare)
      .flatMap(({ names }) => names),
  ),
];

/** Whether a flag's value is the path of a file or a folder. */
export const takesFile = ({ value }: ShownFlag): boolean => value === "FILE" || value === "PATH";
