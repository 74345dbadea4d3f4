import { clockCommand, controlCommand } from "../control.ts";

export default controlCommand({
  ...clockCommand,
  path: "sandbox clock resume",
  summary: "Restart the sandbox's clock from where it stopped",
  examples: [
    { text: "Restart the clock", command: "gpuctl sandbox clock resume" },
    {
      text: "Restart the clock and print it as JSON",
      command: "gpuctl sandbox clock resume -o json",
      after: ["gpuctl sandbox clock freeze"],
    },
  ],
  act: ({ clock }) => clock.resume(),
});
