import {
  type ArgNode,
  type CommandNode,
  everywhere,
  type FlagNode,
  type GlobalNode,
  type Noun,
  spellings,
} from "../command-kit/tree.ts";
import { topics } from "../core/topics.ts";

/** A place on the command line: gpuctl itself, a group of commands, or a command. */
export interface Place {
  /** The words that lead here, separated by spaces; empty for gpuctl itself. */
  readonly path: string;
  readonly below: readonly Word[];
  /** The flags of a command, without the global ones. */
  readonly flags: readonly ShownFlag[];
  /** The arguments of a command, in order. */
  readonly words: readonly ShownWord[];
}

/** An argument, such as an id. */
export interface ShownWord extends Pick<ShownFlag, "choices" | "completes"> {
  /** The name shown in help, such as `RENTAL`. */
  readonly value: string;
  /** Takes all remaining words. */
  readonly variadic: boolean;
}

export interface Word {
  readonly name: string;
  readonly summary: string;
}

export interface ShownFlag extends Pick<FlagNode, "value" | "text" | "completes"> {
  /** Every spelling with its dashes, the short one first. */
  readonly names: readonly string[];
  /** Its value is optional. */
  readonly optional: boolean;
  readonly choices: readonly string[];
  readonly repeat: boolean;
}

const shownFlag = (flag: FlagNode): ShownFlag => ({
  names: spellings(flag),
  text: flag.text,
  ...(flag.value && { value: flag.value }),
  ...(flag.completes && { completes: flag.completes }),
  optional: flag.optionalValue !== undefined,
  choices: flag.choices ?? [],
  repeat: flag.repeat ?? false,
});

/** What completion scripts are generated from. */
export interface Tree {
  readonly places: readonly Place[];
  /** Flags that select the service that completions query. */
  readonly service: readonly ShownFlag[];
  readonly globals: readonly ShownFlag[];
}

export function treeOf(nouns: readonly Noun[], globals: readonly GlobalNode[]): Tree {
  const specs = nouns.flatMap(({ commands }) => commands);
  const paths = new Set(specs.flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1).join(" "))));
  return {
    globals: [...globals, ...everywhere].map(shownFlag),
    service: globals.filter(({ group }) => group === "Service").map(shownFlag),
    places: withHelp([
      { path: "", below: nouns, flags: [], words: [] },
      ...[...paths].map((path) => place(path, specs)),
    ]),
  };
}

/** Adds the topics and commands that can follow `help`. */
function withHelp(places: readonly Place[]): readonly Place[] {
  const groups = places.filter(({ path, below }) => path !== "" && path !== "help" && below.length > 0);
  return [
    ...places.map((place) =>
      place.path === "help"
        ? { ...place, below: [...topics, ...(places[0]?.below ?? [])], words: [] }
        : place,
    ),
    ...groups.map(({ path, below }) => ({ path: `help ${path}`, below, flags: [], words: [] })),
  ];
}

function place(path: string, specs: readonly CommandNode[]): Place {
  const own = specs.find((spec) => spec.path.join(" ") === path);
  return {
    path,
    below: wordsBelow(path.split(" "), specs),
    flags: (own?.flags ?? []).map(shownFlag),
    words: (own?.args ?? []).map(shownWord),
  };
}

const shownWord = ({ name, choices = [], completes, variadic = false }: ArgNode): ShownWord => ({
  value: name,
  choices,
  ...(completes && { completes }),
  variadic,
});

/** The words that can follow a path. The summary of a word that is not a command lists the words that can follow it. */
function wordsBelow(path: readonly string[], specs: readonly CommandNode[]): readonly Word[] {
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

/** Every spelling of the flags whose value is the next word, so that the value is not taken for a command. */
export const valueFlags = ({ places, globals }: Tree): readonly string[] => [
  ...new Set(
    [...globals, ...places.flatMap(({ flags }) => flags)]
      .filter(({ value, optional }) => value !== undefined && !optional)
      .flatMap(({ names }) => names),
  ),
];

export const takesFile = ({ value }: Pick<ShownFlag, "value">): boolean =>
  value === "FILE" || value === "PATH";
