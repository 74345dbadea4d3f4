import type { GlobalGroup } from "../../command-kit/tree.ts";
import type { LiveValue } from "../../command-kit/values.ts";
import { defaultRetries, defaultTimeout } from "../../core/defaults.ts";
import { duration } from "../../core/durations.ts";
import { outputFormats } from "../../core/view.ts";

/** A flag that every command takes: one entry for the flag and the variable. */
interface GlobalFlag {
  readonly name: string;
  readonly short?: string;
  /** What stands for the value; a flag without it is a switch. */
  readonly value?: string;
  readonly text: string;
  readonly choices?: readonly string[];
  /** The environment variable that stands in for it. */
  readonly env?: string;
  /** The switch turns something off: `--no-NAME`. */
  readonly negative?: true;
  readonly default?: string;
  readonly group: GlobalGroup;
  readonly completes?: LiveValue;
}

export const globalFlags = [
  {
    name: "output",
    group: "Output",
    short: "o",
    value: "FORMAT",
    choices: outputFormats,
    env: "GPUCTL_OUTPUT",
    default: "table",
    text: "Output format",
  },
  {
    name: "columns",
    group: "Output",
    value: "LIST",
    text: "Columns of a table, csv or tsv, in this order: titles, names, or dotted paths of the record",
  },
  { name: "header", group: "Output", negative: true, text: "Omit column titles" },
  {
    name: "jq",
    group: "Output",
    value: "EXPR",
    text: "Filter the JSON output with jq; strings are printed raw",
  },
  { name: "quiet", group: "Output", short: "q", text: "Print only errors on stderr" },
  { name: "yes", group: "Questions", short: "y", text: "Answer yes to every confirmation" },
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
    text: "Host of the inference API (by default the base URL)",
  },
  {
    name: "timeout",
    group: "Service",
    value: "DURATION",
    env: "GPUCTL_TIMEOUT",
    text: `Time limit for one attempt (${duration(defaultTimeout.compute)} for compute and ${duration(defaultTimeout.inference)} for inference by default)`,
  },
  {
    name: "retries",
    group: "Service",
    value: "N",
    env: "GPUCTL_RETRIES",
    default: String(defaultRetries),
    text: "Retry reads this many times; writes are never sent twice",
  },
  { name: "dry-run", group: "Questions", text: "Print the request without sending it" },
  {
    name: "validate",
    group: "Questions",
    negative: true,
    text: "Send values that exceed a documented limit and let the service decide",
  },
  {
    name: "insecure-http",
    group: "Service",
    text: "Allow sending the key over plain http to another machine",
  },
  { name: "debug", group: "Output", text: "Show requests, responses and timing on stderr, never the key" },
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
