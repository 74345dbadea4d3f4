import { clockCommand, controlCommand } from "../control.ts";

export default controlCommand({
  ...clockCommand,
  path: "sandbox clock resume",
  summary: "Resume the sandbox's clock",
  examples: [
    { text: "Resume the clock", command: "gpuctl sandbox clock resume" },
    {
      text: "Resume the clock and print it as JSON",
      command: "gpuctl sandbox clock resume -o json",
      after: ["gpuctl sandbox clock freeze"],
    },
  ],
  act: ({ clock }) => clock.resume(),
});
