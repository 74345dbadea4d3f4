import type { CommandSpec, Positional } from "../spec.ts";
import { configKeys } from "./keys.ts";

const key: Positional = {
  name: "KEY",
  required: true,
  text: "What is kept",
  choices: configKeys.map(({ name }) => name),
  refused: {
    apiKey: "`gpuctl auth login` keeps a key, and `gpuctl auth logout` forgets it.",
  },
};

export const configCommands: readonly CommandSpec[] = [
  {
    path: ["config", "get"],
    summary: "Print the value that the profile keeps",
    details: "Exits 5 and prints nothing when it keeps none.",
    operations: [],
    positionals: [key],
    view: { kind: "lines", path: "value" },
    examples: [
      {
        text: "The image model of the profile in use",
        command: "gpuctl config get image.model",
        after: ["gpuctl config set image.model SDXL-turbo"],
      },
      {
        text: "Of another profile, as JSON",
        command: "gpuctl config get sandbox --profile play -o json",
        after: ["gpuctl profile add play --sandbox"],
      },
    ],
    load: () => import("./get.ts"),
  },
  {
    path: ["config", "set"],
    summary: "Keep a default in the profile",
    operations: [],
    positionals: [
      key,
      {
        name: "VALUE",
        required: true,
        text: "What it is to be; `gpuctl config list` tells what each key means",
        keptUnder: key.name,
      },
    ],
    view: { kind: "record", id: ["value"] },
    examples: [
      { text: "Draw with another model", command: "gpuctl config set image.model SDXL-turbo" },
      {
        text: "Never rent when ten dollars an hour are spent already",
        command: "gpuctl config set budget.maxBurn 10",
      },
      {
        text: "In another profile",
        command: "gpuctl config set rentals.region eu-north-4 --profile play",
        after: ["gpuctl profile add play --sandbox"],
      },
    ],
    load: () => import("./set.ts"),
  },
  {
    path: ["config", "unset"],
    summary: "Take a default out of the profile",
    operations: [],
    positionals: [key],
    view: { kind: "record", id: ["key"] },
    examples: [
      {
        text: "Draw with the usual model again",
        command: "gpuctl config unset image.model",
        after: ["gpuctl config set image.model SDXL-turbo"],
      },
      { text: "It may be unset already", command: "gpuctl config unset budget.maxCost" },
    ],
    load: () => import("./unset.ts"),
  },
  {
    path: ["config", "list"],
    summary: "Show every key with the value that counts, where it comes from, and what it means",
    operations: [],
    view: {
      kind: "list",
      columns: [
        { title: "KEY", paths: ["key"] },
        { title: "VALUE", paths: ["value"] },
        { title: "SOURCE", paths: ["source"] },
        { title: "MEANING", paths: ["meaning"] },
      ],
      empty: "No keys.",
      id: ["key"],
    },
    examples: [
      { text: "Show them", command: "gpuctl config list" },
      { text: "As JSON", command: "gpuctl config list -o json" },
    ],
    load: () => import("./list.ts"),
  },
  {
    path: ["config", "path"],
    summary: "Print where the configuration is",
    operations: [],
    needsNoConfig: true,
    view: { kind: "lines", path: "path" },
    examples: [
      { text: "The path of the file", command: "gpuctl config path" },
      { text: "As JSON", command: "gpuctl config path -o json" },
    ],
    load: () => import("./path.ts"),
  },
];
