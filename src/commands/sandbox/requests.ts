import { flag } from "../../command-kit/flag.ts";
import { requestLog } from "../../core/sandbox.ts";
import { controlCommand } from "./control.ts";
import { filterFlags, filterOf } from "./requests/filter.ts";

export default controlCommand({
  path: "sandbox requests",
  summary: "List the last requests and any problems with them",
  details:
    "The formats json, jsonl and yaml also show the body, the fields of the query, the response, the caller and the name of the key. The log contains no keys.",
  flags: {
    ...filterFlags,
    count: flag.boolean("Print only the number of matching requests", {
      conflictsWith: ["limit"],
    }),
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
    {
      text: "Count the refused requests for VMs with a B200",
      command:
        "gpuctl sandbox requests --operation createVirtualMachineRental --status 4xx --where gpuType=b200 --count",
    },
    { text: "Print the last request as JSON", command: "gpuctl sandbox requests --limit 1 -o json" },
  ],
  buildInput: ({ flags: { limit: _limit, count: _count, ...filter } }) => filterOf(filter),
  act: ({ requests }, { input, flags: { count, limit } }) =>
    count ? requests.count(input) : requests.list({ ...input, limit }),
  resultOf: (value, { flags: { count }, settings }) => {
    if (!count) return { data: value };
    if (!settings.formatFromCli) return { text: [`${value}\n`] };
    return { data: { count: value }, view: { kind: "record", id: ["count"] } };
  },
  nameOf: ([field = ""]) => `--${field}`,
});
