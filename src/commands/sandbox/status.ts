import { controlCommand } from "./control.ts";

export default controlCommand({
  path: "sandbox status",
  summary: "Show what the sandbox contains and where it is stored",
  details:
    "Like every `gpuctl sandbox` command except `serve`, this command acts on the local sandbox, or on a served one if --base-url or GPUCTL_BASE_URL names it.",
  view: { kind: "record", id: [] },
  examples: [
    { text: "Show the state", command: "gpuctl sandbox status" },
    { text: "Print as JSON", command: "gpuctl sandbox status -o json" },
  ],
  act: (control) => control.status(),
});
