import { clockCommand, controlCommand } from "../control.ts";

export default controlCommand({
  ...clockCommand,
  path: "sandbox clock freeze",
  summary: "Freeze the sandbox's clock",
  details:
    "While the clock is frozen, the sandbox's time does not pass, and no rental boots, is billed or expires. `gpuctl sandbox clock advance` and `clock set` still move the clock.",
  examples: [
    { text: "Freeze the clock", command: "gpuctl sandbox clock freeze" },
    { text: "Freeze the clock and print the time", command: "gpuctl sandbox clock freeze -o id" },
  ],
  act: ({ clock }) => clock.freeze(),
});
