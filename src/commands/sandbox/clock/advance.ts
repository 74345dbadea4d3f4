import { arg } from "../../../command-kit/arg.ts";
import { UsageError } from "../../../core/errors.ts";
import { parseDuration } from "../../../core/values/durations.ts";
import { clockCommand, controlCommand } from "../control.ts";

export default controlCommand({
  ...clockCommand,
  path: "sandbox clock advance",
  summary: "Advance the sandbox's clock",
  details: "Events that are due in that time happen in order, each at its own time.",
  args: [arg.text("DURATION", "How long, such as 30d, 12h or 1h30m", { required: true })],
  examples: [
    { text: "Go past a 30-day term", command: "gpuctl sandbox clock advance 30d" },
    { text: "Go past the boot of a machine", command: "gpuctl sandbox clock advance 5s -o json" },
  ],
  buildInput: ({ args: { duration } }) => {
    const milliseconds = parseDuration(duration);
    if (milliseconds !== undefined) return { milliseconds };
    throw new UsageError(
      `DURATION must be a duration such as 30d, 12h or 90s, not ${JSON.stringify(duration)}`,
    );
  },
  act: ({ clock }, { input: { milliseconds } }) => clock.advance(milliseconds),
  nameOf: () => "DURATION",
});
