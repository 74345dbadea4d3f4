import fc from "fast-check";

/** The number of runs of every property. 0 means the number in its test, or 200. */
const runsFromEnv = Number(process.env.GPUCTL_TEST_RUNS ?? 0);

fc.configureGlobal({ numRuns: runsFromEnv || 200 });

/** fast-check's parameters for a property with its own default number of runs. */
export const runs = (fallback: number): { readonly numRuns: number } => ({
  numRuns: runsFromEnv || fallback,
});

export { fc };
