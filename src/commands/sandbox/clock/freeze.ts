import { clockCommand, controlCommand } from "../control.ts";

export default controlCommand({
  ...clockCommand,
  path: "sandbox clock freeze",
  summary: "Stop the sandbox's clock",
  details:
    "While the clock is stopped, the same commands print the same results, and nothing boots, bills or expires.",
  examples: [
    { text: "Stop the clock", command: "gpuctl sandbox clock freeze" },
    { text: "Stop it and print the time", command: "gpuctl sandbox clock freeze -o id" },
  ],
  act: ({ clock }) => clock.freeze(),
});
