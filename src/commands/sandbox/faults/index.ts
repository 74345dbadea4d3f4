import { faultDefaults, faultHeader } from "../../../contract/sandbox.ts";
import type { Column } from "../../../output/view.ts";
import type { CommandSpec } from "../../spec.ts";

const columns: readonly Column[] = [
  { title: "ID", paths: ["id"] },
  { title: "OPERATION", paths: ["operation"] },
  { title: "EFFECT", paths: ["effect"] },
  { title: "AFTER", paths: ["after"], format: "number" },
  { title: "TIMES", paths: ["times"], format: "number" },
  { title: "LEFT", paths: ["left"], format: "number" },
];

export const faultCommands: readonly CommandSpec[] = [
  {
    path: ["sandbox", "fault", "add"],
    summary: "Let calls to the sandbox fail",
    details: `The next calls fail, none by chance. Their answers have the header ${faultHeader}.`,
    operations: [],
    flags: [
      {
        names: ["operation"],
        value: "OPERATION",
        text: "Which calls, by the name in `gpuctl api spec`; * for all",
      },
      { names: ["times"], value: "N", text: "How many calls fail", default: String(faultDefaults.times) },
      {
        names: ["after"],
        value: "N",
        text: "How many calls go well before",
        default: String(faultDefaults.after),
      },
      { names: ["status"], value: "STATUS", text: "Answer with this status, from 400 to 599" },
      { names: ["retry-after"], value: "DURATION", text: "What the answer says to wait before another try" },
      { names: ["delay"], value: "DURATION", text: "Wait, in real time" },
      { names: ["reset"], text: "Break the connection" },
      {
        names: ["cut-stream-after"],
        value: "N",
        text: "End the answer after N events, or N KiB when it is no stream; with --reset by breaking the connection",
      },
      { names: ["garbage"], text: "Answer with a body that is no JSON" },
      { names: ["applied"], text: "Let the operation take effect before" },
    ],
    view: { kind: "record", columns, id: ["id"] },
    examples: [
      {
        text: "A machine that is rented, though the answer says no",
        command: "gpuctl sandbox fault add --operation createVirtualMachineRental --status 500 --applied",
      },
      {
        text: "Two listings that are refused, each 3 seconds late",
        command:
          "gpuctl sandbox fault add --operation listVirtualMachineRentals --status 429 --times 2 --delay 3s",
      },
    ],
    load: () => import("./add.ts"),
  },
  {
    path: ["sandbox", "fault", "list"],
    summary: "List the faults, used up or not",
    operations: [],
    view: { kind: "list", columns, empty: "No faults.", id: ["id"] },
    examples: [
      { text: "See which ones are left", command: "gpuctl sandbox fault list" },
      { text: "As JSON", command: "gpuctl sandbox fault list -o json" },
    ],
    load: () => import("./list.ts"),
  },
  {
    path: ["sandbox", "fault", "clear"],
    summary: "Forget a fault, or all of them",
    operations: [],
    positionals: [{ name: "FAULT", text: "Number of the fault; all when left out" }],
    view: { kind: "record", id: [] },
    examples: [
      { text: "Forget all", command: "gpuctl sandbox fault clear" },
      {
        text: "Forget one",
        command: "gpuctl sandbox fault clear 1",
        after: ["gpuctl sandbox fault add --operation getRental --garbage"],
      },
    ],
    load: () => import("./clear.ts"),
  },
];
