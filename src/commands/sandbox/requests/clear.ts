import { controlCommand } from "../control.ts";
import { filterFlags, filterOf } from "./filter.ts";

export default controlCommand({
  path: "sandbox requests clear",
  summary: "Clear the request log, or remove only matching requests",
  flags: filterFlags,
  view: { kind: "record", id: [] },
  examples: [
    { text: "Remove all requests", command: "gpuctl sandbox requests clear" },
    { text: "Remove the requests of one caller", command: "gpuctl sandbox requests clear --caller test-7" },
  ],
  buildInput: ({ flags }) => filterOf(flags),
  act: async ({ requests }, { input }) => ({ cleared: await requests.clear(input) }),
  dryRun: async ({ requests }, { input }) => ({ wouldClear: await requests.count(input) }),
  nameOf: ([field = ""]) => `--${field}`,
});
