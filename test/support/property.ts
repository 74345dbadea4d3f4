import fc from "fast-check";

/** How often each property is tried; without it as often as its test says, or 100 times. */
const wanted = Number(process.env.GPUCTL_TEST_RUNS ?? 0);

if (wanted > 0) fc.configureGlobal({ numRuns: wanted });

/** The runs of a property that needs another number than the 100 of fast-check. */
export const runs = (fallback: number): { readonly numRuns: number } => ({ numRuns: wanted || fallback });

export { fc };
