import { controlCommand } from "./control.ts";

export default controlCommand({
  path: "sandbox status",
  summary: "Show what the sandbox contains and where it is stored",
  details:
    "The `gpuctl sandbox` commands act on the local sandbox. But if --base-url or GPUCTL_BASE_URL names a served sandbox, all of them except `serve` act on that sandbox. --sandbox and GPUCTL_SANDBOX=1 override GPUCTL_BASE_URL.",
  view: { kind: "record", id: [] },
  examples: [
    { text: "Show the state", command: "gpuctl sandbox status" },
    { text: "Print as JSON", command: "gpuctl sandbox status -o json" },
  ],
  act: (control) => control.status(),
});
