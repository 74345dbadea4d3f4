import { controlCommand } from "./control.ts";

export default controlCommand({
  path: "sandbox status",
  summary: "Show the contents of the sandbox and their location",
  view: { kind: "record", id: [] },
  examples: [
    { text: "Show the state", command: "gpuctl sandbox status" },
    { text: "As JSON", command: "gpuctl sandbox status -o json" },
  ],
  act: (control) => control.status(),
});
