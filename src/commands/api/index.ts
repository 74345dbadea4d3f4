import type { CommandSpec } from "../spec.ts";

const operationWords = [
  {
    name: "OPERATION",
    required: true,
    text: "Operation id such as getRental, or a method such as GET with a path after it",
  },
  { name: "PATH", text: "Path such as /v2/on-demand/rental, after a method" },
] as const;

export const apiCommands: readonly CommandSpec[] = [
  {
    path: ["api", "list"],
    summary: "List the operations that the service offers",
    details: "Goes by the service's own description, which needs no key and is kept for a day.",
    operations: [],
    flags: [{ names: ["group"], value: "TAG", text: "Only the operations of this group" }],
    view: {
      kind: "list",
      columns: [
        { title: "GROUP", paths: ["group"] },
        { title: "METHOD", paths: ["method"] },
        { title: "PATH", paths: ["path"] },
        { title: "OPERATION", paths: ["operationId"] },
        { title: "DEPRECATED", paths: ["deprecated"], format: "yes-no" },
        { title: "SUMMARY", paths: ["summary"] },
      ],
      empty: "The service offers nothing.",
      id: ["operationId"],
    },
    examples: [
      { text: "Everything that there is", command: "gpuctl api list --sandbox" },
      { text: "Just the SSH keys, as ids", command: "gpuctl api list --group ssh-keys -o id --sandbox" },
    ],
    load: () => import("./list.ts"),
  },
  {
    path: ["api", "describe"],
    summary: "Show what an operation takes and answers",
    operations: [],
    positionals: operationWords,
    view: { kind: "record", id: ["operationId"] },
    examples: [
      { text: "By its operation id", command: "gpuctl api describe createStorageVolume --sandbox" },
      {
        text: "By its method and path, as JSON",
        command: "gpuctl api describe GET /v2/on-demand/rental -o json --sandbox",
      },
    ],
    load: () => import("./describe.ts"),
  },
  {
    path: ["api", "call"],
    summary: "Call any operation of the service",
    details:
      "Fields fill path, query and headers by name; the rest is the body. It is held against the description first. The answer is printed as JSON unless --output says otherwise. null is an answer like any other: getRental gives it for a rental that is not there.",
    operations: [],
    positionals: operationWords,
    flags: [
      {
        names: ["raw-field"],
        short: "f",
        value: "KEY=VALUE",
        text: "A field as text; a[b]=1, a[]=1 and a[][b]=1 lead into objects and lists",
        repeat: true,
      },
      {
        names: ["field"],
        short: "F",
        value: "KEY=VALUE",
        text: "A field that may be a number, true, false or null; @FILE is what a file holds, - what stdin holds",
        repeat: true,
      },
      { names: ["input"], value: "FILE", text: "The whole body, as JSON; - is stdin" },
      { names: ["include"], short: "i", text: "Print the status and the headers of the answer first" },
      { names: ["paginate"], text: "Follow the pages of a listing and print one array" },
    ],
    confirms: "destruction",
    view: { kind: "record", id: ["id"] },
    examples: [
      {
        text: "Look something up by an operation id",
        command: "gpuctl api call getRental -f rentalId=1001 --sandbox",
      },
      {
        text: "Send a body to a method and a path",
        command:
          "gpuctl api call POST /v2/on-demand/storage-volumes -f region=us-central-1 -f label=data -F sizeInGb=512 --sandbox",
      },
      {
        text: "Everything that was billed, over all pages, as a table",
        command: "gpuctl api call listUsage --paginate -o table --sandbox",
      },
    ],
    load: () => import("./call.ts"),
  },
  {
    path: ["api", "spec"],
    summary: "Print the service's own OpenAPI description",
    details:
      "Needs no key. It lists the operations that this environment has enabled, and is kept for a day.",
    operations: ["getOpenApiDocument"],
    flags: [
      { names: ["refresh"], text: "Ask the service, even if the description was kept less than a day ago" },
    ],
    view: { kind: "document" },
    examples: [
      { text: "Print the description", command: "gpuctl api spec --sandbox" },
      { text: "Keep it in a file", command: "gpuctl api spec --sandbox > openapi.json" },
    ],
    load: () => import("./spec.ts"),
  },
];
