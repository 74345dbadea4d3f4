import type { Context, SandboxControl } from "../../../context/context.ts";
import type { Answer } from "../../../output/answer.ts";
import { controlled } from "../control.ts";

type Clock = SandboxControl["clock"];

/** Changes the sandbox's clock and gives it as it is then; `word` is where the user typed how. */
export const changeClock = async (
  context: Context,
  change: (clock: Clock) => unknown,
  word = "the clock",
): Promise<Answer> => ({
  data: await controlled<unknown>(context, {
    run: ({ clock }) => change(clock),
    dry: ({ clock }) => clock.show(),
    nameOf: () => word,
  }),
});
