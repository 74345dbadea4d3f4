import { arg } from "../../../command-kit/arg.ts";
import { UsageError } from "../../../core/errors.ts";
import { parseTime } from "../../../core/values/times.ts";
import { clockCommand, controlCommand } from "../control.ts";

export default controlCommand({
  ...clockCommand,
  path: "sandbox clock set",
  summary: "Move the sandbox's clock forward to a time",
  args: [arg.text("TIME", "ISO 8601; UTC unless it has an offset", { required: true })],
  examples: [
    { text: "Set a date", command: "gpuctl sandbox clock set 2038-01-01" },
    { text: "Set an exact time", command: "gpuctl sandbox clock set 2038-06-01T00:00:00+02:00 -o json" },
  ],
  buildInput: ({ args: { time } }) => {
    const moment = parseTime(time);
    if (moment !== undefined) return { moment };
    throw new UsageError(`TIME must be a time such as 2026-12-31T00:00:00Z, not ${JSON.stringify(time)}`);
  },
  act: ({ clock }, { input: { moment } }) => clock.set(moment),
  nameOf: () => "TIME",
});
