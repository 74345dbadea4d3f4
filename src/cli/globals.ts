import { usualRetries, usualTimeout } from "../client/defaults.ts";
import type { GlobalFlag } from "../commands/global-flag.ts";
import { duration } from "../output/durations.ts";
import { outputFormats } from "../output/view.ts";

export const globalFlags = [
  {
    name: "output",
    group: "Output",
    short: "o",
    value: "FORMAT",
    choices: outputFormats,
    env: "GPUCTL_OUTPUT",
    default: "table",
    text: "How the result is printed",
  },
  {
    name: "columns",
    group: "Output",
    value: "LIST",
    text: "Columns of a table, csv or tsv, in this order: titles, names, or dotted paths of the record",
  },
  { name: "header", group: "Output", negative: true, text: "Leave the titles of the columns out" },
  {
    name: "jq",
    group: "Output",
    value: "EXPR",
    text: "Filter the JSON with jq; strings are printed as they are",
  },
  { name: "quiet", group: "Output", short: "q", text: "Nothing on stderr but errors" },
  { name: "yes", group: "Questions", short: "y", text: "Answer every confirmation with yes" },
  { name: "input", group: "Questions", negative: true, env: "GPUCTL_NO_INPUT", text: "Never prompt" },
  {
    name: "profile",
    group: "Service",
    completes: "profile",
    value: "NAME",
    env: "GPUCTL_PROFILE",
    text: "Profile to use",
  },
  {
    name: "sandbox",
    group: "Service",
    env: "GPUCTL_SANDBOX",
    text: "Use the service inside gpuctl: no account, nothing is rented",
  },
  {
    name: "base-url",
    group: "Service",
    value: "URL",
    env: "GPUCTL_BASE_URL",
    text: "Host of the compute API",
  },
  {
    name: "inference-base-url",
    group: "Service",
    value: "URL",
    env: "GPUCTL_INFERENCE_BASE_URL",
    text: "Host of the inference API; the base URL when left out",
  },
  {
    name: "timeout",
    group: "Service",
    value: "DURATION",
    env: "GPUCTL_TIMEOUT",
    text: `Longest time for one try (${duration(usualTimeout.compute)} for compute and ${duration(usualTimeout.inference)} for inference when left out)`,
  },
  {
    name: "retries",
    group: "Service",
    value: "N",
    env: "GPUCTL_RETRIES",
    default: String(usualRetries),
    text: "Try reads again this many times; writes are never sent twice",
  },
  { name: "dry-run", group: "Questions", text: "Print the request that would be sent, send nothing" },
  {
    name: "validate",
    group: "Questions",
    negative: true,
    text: "Let the service decide even where a documented limit says no",
  },
  { name: "insecure-http", group: "Service", text: "Let the key travel over plain http to another machine" },
  { name: "debug", group: "Output", text: "Show requests, answers and timing on stderr; never the key" },
  {
    name: "color",
    group: "Output",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    default: "auto",
    text: "Use colours",
  },
] as const satisfies readonly GlobalFlag[];

export type GlobalName = (typeof globalFlags)[number]["name"];

/** What was typed: text for a value, true or false for a switch. */
export type TypedGlobals = { readonly [Name in GlobalName]?: string | boolean };
