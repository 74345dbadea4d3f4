import { clockCommand, controlCommand } from "../control.ts";

export default controlCommand({
  path: "sandbox clock show",
  summary: "Show the sandbox's time",
  view: clockCommand.view,
  examples: [
    { text: "Show the clock", command: "gpuctl sandbox clock show" },
    { text: "Print only the time", command: "gpuctl sandbox clock show -o id" },
  ],
  act: ({ clock }) => clock.show(),
});
