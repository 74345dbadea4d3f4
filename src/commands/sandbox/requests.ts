import { flag } from "../../command-kit/flag.ts";
import { requestLog } from "../../core/sandbox.ts";
import { controlCommand } from "./control.ts";

export default controlCommand({
  path: "sandbox requests",
  summary: "List the last requests and any problems with them",
  flags: {
    limit: flag.integer("Maximum number of requests", { default: String(requestLog.shown), minimum: 1 }),
  },
  view: {
    kind: "list",
    columns: [
      { title: "TIME", paths: ["time"], format: "time" },
      { title: "METHOD", paths: ["method"] },
      { title: "PATH", paths: ["path"] },
      { title: "STATUS", paths: ["status"], format: "number" },
      { title: "FAULT", paths: ["fault"] },
      { title: "ERROR", paths: ["code"] },
      { title: "PROBLEMS", name: "problems", paths: ["issues"], format: "list" },
    ],
    empty: "No requests.",
    id: ["number"],
  },
  examples: [
    {
      text: "List the requests",
      command: "gpuctl sandbox requests",
      after: ["gpuctl rentals list --sandbox"],
    },
    { text: "Print the last one as JSON", command: "gpuctl sandbox requests --limit 1 -o json" },
  ],
  act: (control, { flags: { limit } }) => control.requests(limit),
});
