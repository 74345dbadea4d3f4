import type { Issue } from "../../contract/check.ts";

interface MayHaveNumber {
  readonly id?: number | undefined;
}

/** Things with the numbers that a seed gives them first, so that the other ones take numbers that are free. */
export const numberedFirst = <Thing extends MayHaveNumber>(things: readonly Thing[]) =>
  things
    .map((thing, index) => ({ thing, index }))
    .sort((one, other) => Number(one.thing.id === undefined) - Number(other.thing.id === undefined));

/** Numbers that two things of a list claim. */
export const twice = (list: string, things: readonly MayHaveNumber[]): readonly Issue[] =>
  things.flatMap(({ id }, index) =>
    id !== undefined && things.findIndex((thing) => thing.id === id) < index
      ? [{ path: [list, index, "id"], message: `must be of one thing, but ${id} is given twice` }]
      : [],
  );
