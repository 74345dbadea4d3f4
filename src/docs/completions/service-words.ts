import type { ShownFlag, Tree } from "../tree.ts";

/** Patterns of a shell's `case` for the flags that select the service to query. */
interface ServiceWords {
  /** Flags whose value is the next word. */
  readonly valued: string;
  /** Flags in one word: switches, and those with their value after `=`. */
  readonly whole: string;
}

export function serviceWords({ service }: Pick<Tree, "service">): ServiceWords {
  const takesValue = ({ value }: ShownFlag): boolean => value !== undefined;
  const valued = service.filter(takesValue).flatMap(({ names }) => names);
  const switches = service.filter((flag) => !takesValue(flag)).flatMap(({ names }) => names);
  return {
    valued: valued.join("|"),
    whole: [...switches, ...valued.map((name) => `${name}=*`)].join("|"),
  };
}
