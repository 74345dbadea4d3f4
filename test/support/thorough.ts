/** Whether tests run every case, as `.ci/full` does, or only a sample of cases that are alike. */
export const thorough = process.env.GPUCTL_TEST_THOROUGH === "1";

/** All cases in a thorough run, otherwise only those at the given positions. */
export const sample = <Case>(cases: readonly Case[], ...positions: readonly number[]): readonly Case[] =>
  thorough ? cases : cases.filter((_, position) => positions.includes(position));

/** All cases in a thorough run, otherwise every nth. */
export const everyNth = <Case>(step: number, cases: readonly Case[]): readonly Case[] =>
  thorough ? cases : cases.filter((_, position) => position % step === 0);
