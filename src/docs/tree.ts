import {
  type ArgNode,
  type CommandNode,
  type FlagNode,
  type GlobalNode,
  type ListedFlag,
  listedFlags,
  type Noun,
  spellings,
  standardFlags,
} from "../command-kit/tree.ts";
import { topics } from "../core/topics.ts";

/** The data from which completion scripts are generated. */
export interface Tree {
  readonly places: readonly Place[];
  /** The paths of all places except gpuctl itself. */
  readonly paths: readonly string[];
  /** Flags that select the service that completions query. */
  readonly service: readonly FlagNode[];
  readonly globals: readonly FlagNode[];
}

/** A place on the command line: gpuctl itself, a group of commands, or a command. */
export interface Place {
  /** The words that lead here, separated by spaces; empty for gpuctl itself. */
  readonly path: string;
  readonly below: readonly Word[];
  /** The flags of a command, without the global ones. */
  readonly flags: readonly ListedFlag[];
  /** The arguments of a command, in order. */
  readonly args: readonly (ArgNode & Valued)[];
}

/** The value of a flag or an argument: its placeholder, and what completes it. */
export type Valued = Pick<FlagNode, "value" | "choices" | "completes">;

export interface Word {
  readonly name: string;
  readonly summary: string;
}

export function treeOf(nouns: readonly Noun[], globals: readonly GlobalNode[]): Tree {
  const specs = nouns.flatMap(({ commands }) => commands);
  const paths = new Set(specs.flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1).join(" "))));
  const places = withHelp([
    { path: "", below: nouns, flags: [], args: [] },
    ...[...paths].map((path) => place(path, specs)),
  ]);
  return {
    places,
    paths: places.flatMap(({ path }) => path || []),
    globals: [...globals, ...standardFlags],
    service: globals.filter(({ group }) => group === "Service"),
  };
}

/** Adds the topics and commands that can follow `help`. */
function withHelp(places: readonly Place[]): readonly Place[] {
  const groups = places.filter(({ path, below }) => path !== "" && path !== "help" && below.length > 0);
  return [
    ...places.map((place) =>
      place.path === "help" ? { ...place, below: [...topics, ...(places[0]?.below ?? [])], args: [] } : place,
    ),
    ...groups.map(({ path, below }) => ({ path: `help ${path}`, below, flags: [], args: [] })),
  ];
}

function place(path: string, specs: readonly CommandNode[]): Place {
  const own = specs.find((spec) => spec.path.join(" ") === path);
  return {
    path,
    below: wordsBelow(path.split(" "), specs),
    flags: (own?.flags ?? []).flatMap(listedFlags),
    args: (own?.args ?? []).map((one) => ({ ...one, value: one.name })),
  };
}

/**
 * The words that can follow a path. The summary of a word that is not a command lists the words that can follow
 * it.
 */
function wordsBelow(path: readonly string[], specs: readonly CommandNode[]): readonly Word[] {
  const inside = specs.filter(
    (spec) => spec.path.length > path.length && path.every((word, at) => spec.path[at] === word),
  );
  const names = [...new Set(inside.flatMap((spec) => spec.path[path.length] ?? []))];
  return names.map((name) => {
    const under = inside.filter((spec) => spec.path[path.length] === name);
    const own = under.find((spec) => spec.path.length === path.length + 1);
    const next = new Set(under.map((spec) => spec.path[path.length + 1]));
    return { name, summary: own?.summary ?? [...next].join(" or ") };
  });
}

/** Whether the next word is always the flag's value. False for a flag whose value is optional. */
export const takesValue = ({ value, optionalValue }: FlagNode): boolean =>
  value !== undefined && optionalValue === undefined;

/** Every spelling of the flags whose value is the next word. The scripts skip that word when they look for commands. */
export const valueFlags = ({ places, globals }: Tree): readonly string[] =>
  spelled([...globals, ...places.flatMap(({ flags }) => flags)].filter(takesValue));

/**
 * Patterns for a shell's `case`: `valued` matches service flags whose value is the next word, and `whole` matches those
 * that need no further word, such as `--profile=NAME`.
 */
export function serviceWords({ service }: Tree): { readonly valued: string; readonly whole: string } {
  const valued = spelled(service.filter(takesValue));
  const switches = spelled(service.filter((flag) => !takesValue(flag)));
  return { valued: valued.join("|"), whole: [...switches, ...valued.map((name) => `${name}=*`)].join("|") };
}

/** Every spelling of some flags, each once. */
export const spelled = (flags: readonly FlagNode[]): readonly string[] => [
  ...new Set(flags.flatMap(spellings)),
];

export const takesFile = ({ value }: Valued): boolean => value === "FILE" || value === "PATH";
