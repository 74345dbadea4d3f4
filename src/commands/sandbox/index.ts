import { environmentNames } from "../../contract/sandbox.ts";
import type { CommandSpec } from "../spec.ts";
import { clockCommands } from "./clock/index.ts";
import { faultCommands } from "./faults/index.ts";
import { stateCommands } from "./state/index.ts";

export const sandboxCommands: readonly CommandSpec[] = [
  {
    path: ["sandbox", "serve"],
    summary: "Serve the sandbox over HTTP, for curl, SDKs and browsers",
    details:
      "With --only it is a service that has less, and describes no more than that. documented: all that is documented, nothing that the sandbox assumes. legacy: the same without the newer paths of what is deprecated. replacements: nothing that is deprecated, and what takes its place; how its pages look is the sandbox's own.",
    operations: [],
    flags: [
      { names: ["port"], value: "PORT", text: "Port to listen on; 0 takes a free one", default: "8787" },
      { names: ["host"], value: "HOST", text: "Address to listen on", default: "127.0.0.1" },
      {
        names: ["only"],
        value: "ENVIRONMENT",
        text: "Serve just these operations; all that are documented or assumed when left out",
        choices: environmentNames,
      },
    ],
    view: { kind: "record", id: ["url"] },
    examples: [
      { text: "Serve until Ctrl-C", command: "gpuctl sandbox serve" },
      { text: "On a free port, its address as JSON", command: "gpuctl sandbox serve --port 0 -o json" },
      {
        text: "As a service that has replaced what is deprecated",
        command: "gpuctl sandbox serve --port 0 --only replacements",
      },
    ],
    load: () => import("./serve.ts"),
  },
  {
    path: ["sandbox", "status"],
    summary: "Show what the sandbox holds and where",
    operations: [],
    view: { kind: "record", id: [] },
    examples: [
      { text: "Show the state", command: "gpuctl sandbox status" },
      { text: "As JSON", command: "gpuctl sandbox status -o json" },
    ],
    load: () => import("./status.ts"),
  },
  {
    path: ["sandbox", "reset"],
    summary: "Forget everything in the sandbox and begin anew",
    operations: [],
    confirms: "destruction",
    view: { kind: "record", id: [] },
    examples: [
      { text: "Begin anew", command: "gpuctl sandbox reset --yes" },
      { text: "Begin anew, quietly", command: "gpuctl sandbox reset --yes --quiet" },
    ],
    load: () => import("./reset.ts"),
  },
  ...stateCommands,
  ...clockCommands,
  ...faultCommands,
  {
    path: ["sandbox", "keys"],
    summary: "Show the sandbox's own keys, for curl and SDKs",
    operations: [],
    view: {
      kind: "list",
      columns: [
        { title: "ACCESS", paths: ["access"] },
        { title: "KEY", paths: ["key"] },
      ],
      empty: "No keys.",
      id: ["key"],
    },
    examples: [
      { text: "Show the keys", command: "gpuctl sandbox keys" },
      { text: "Just the keys, one a line", command: "gpuctl sandbox keys -o id" },
    ],
    load: () => import("./keys.ts"),
  },
  {
    path: ["sandbox", "limits"],
    summary: "List what the service leaves open and the sandbox decided",
    operations: [],
    view: {
      kind: "record",
      columns: [
        { title: "TOPIC", paths: ["id"] },
        { title: "IN THE SANDBOX", name: "text", paths: ["text"] },
      ],
      id: ["id"],
    },
    examples: [
      { text: "Read them", command: "gpuctl sandbox limits" },
      { text: "As JSON", command: "gpuctl sandbox limits -o json" },
    ],
    load: () => import("./limits.ts"),
  },
];
