import fc from "fast-check";

/** The number of runs of every property. If it is 0, each property has the number of runs from its test, or 200. */
const runsFromEnv = Number(process.env.GPUCTL_TEST_RUNS ?? 0);

fc.configureGlobal({ numRuns: runsFromEnv || 200 });

/** fast-check's parameters for a property with its own default number of runs. */
export const runs = (fallback: number): { readonly numRuns: number } => ({
  numRuns: runsFromEnv || fallback,
});

/**
 * Any Unicode character, as the unit of `fc.string`. The unit "binary" gives the same characters, but fast-check first
 * takes a second to make a table of all of them.
 */
export const anyCharacter = fc
  .nat(0x10ffff)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map(
    (point) => String.fromCodePoint(point),
    (character) => codePointOf(character),
  );

/** @throws TypeError for anything but one character, as fast-check expects */
function codePointOf(character: unknown): number {
  const [first, ...more] = typeof character === "string" ? character : [];
  const point = first?.codePointAt(0);
  if (point === undefined || more.length > 0) throw new TypeError("not one character");
  return point;
}

export { fc };
