import { requestLog } from "../../../contract/sandbox.ts";
import type { CommandSpec } from "../../spec.ts";

export const stateCommands: readonly CommandSpec[] = [
  {
    path: ["sandbox", "seed"],
    summary: "Fill the sandbox from a file, in the place of what it holds",
    details: "YAML or JSON, as `gpuctl sandbox limits` says. A file that is wrong anywhere changes nothing.",
    operations: [],
    positionals: [{ name: "FILE", text: "The seed; - reads stdin", required: true }],
    confirms: "destruction",
    view: { kind: "record", id: [] },
    examples: [
      {
        text: "One machine",
        command:
          "printf 'rentals: [{rentalType: virtual-machine, gpuCount: 1}]' | gpuctl sandbox seed - --yes",
      },
      {
        text: "A clock that stands still, and $50",
        command:
          "printf 'clock: {now: \"2026-12-01T00:00:00Z\", frozen: true}\\nbalanceCents: 5000\\n' | gpuctl sandbox seed - --yes",
      },
    ],
    load: () => import("./seed.ts"),
  },
  {
    path: ["sandbox", "snapshot"],
    summary: "Save the whole state of the sandbox",
    operations: [],
    positionals: [{ name: "FILE", text: "Where to; - writes to stdout", required: true }],
    flags: [{ names: ["force"], text: "Replace an existing file" }],
    view: { kind: "record", id: ["path"] },
    examples: [
      { text: "Into a file", command: "gpuctl sandbox snapshot state.json" },
      { text: "Through a pipe", command: "gpuctl sandbox snapshot - > state.json" },
    ],
    load: () => import("./snapshot.ts"),
  },
  {
    path: ["sandbox", "restore"],
    summary: "Go back to a saved state of the sandbox",
    operations: [],
    positionals: [{ name: "FILE", text: "The snapshot; - reads stdin", required: true }],
    confirms: "destruction",
    view: { kind: "record", id: [] },
    examples: [
      {
        text: "Go back",
        command: "gpuctl sandbox restore state.json --yes",
        after: ["gpuctl sandbox snapshot state.json"],
      },
      {
        text: "Go back, and see what there is as JSON",
        command: "gpuctl sandbox restore state.json --yes -o json",
        after: ["gpuctl sandbox snapshot state.json"],
      },
    ],
    load: () => import("./restore.ts"),
  },
  {
    path: ["sandbox", "requests"],
    summary: "List the last requests and what was wrong with them",
    operations: [],
    flags: [{ names: ["limit"], value: "N", text: "How many at most", default: String(requestLog.shown) }],
    view: {
      kind: "list",
      columns: [
        { title: "TIME", paths: ["time"], format: "time" },
        { title: "METHOD", paths: ["method"] },
        { title: "PATH", paths: ["path"] },
        { title: "STATUS", paths: ["status"], format: "number" },
        { title: "FAULT", paths: ["fault"] },
        { title: "ERROR", paths: ["code"] },
        { title: "WRONG", paths: ["issues"], format: "list" },
      ],
      empty: "No requests.",
      id: ["number"],
    },
    examples: [
      { text: "See them", command: "gpuctl sandbox requests", after: ["gpuctl rentals list --sandbox"] },
      { text: "The last one as JSON", command: "gpuctl sandbox requests --limit 1 -o json" },
    ],
    load: () => import("./requests.ts"),
  },
];
