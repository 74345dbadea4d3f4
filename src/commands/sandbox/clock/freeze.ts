import { clockCommand, controlCommand } from "../control.ts";

export default controlCommand({
  ...clockCommand,
  path: "sandbox clock freeze",
  summary: "Stop the sandbox's clock",
  details:
    "The same commands then print the same results. Nothing boots, bills or expires until time passes.",
  examples: [
    { text: "Stop the clock", command: "gpuctl sandbox clock freeze" },
    { text: "Stop it and print the time", command: "gpuctl sandbox clock freeze -o id" },
  ],
  act: ({ clock }) => clock.freeze(),
});
