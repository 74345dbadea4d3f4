import type { GlobalNode } from "../../command-kit/tree.ts";
import { defaultRetries, defaultTimeout, retriesText } from "../../core/values/defaults.ts";
import { duration } from "../../core/values/durations.ts";
import { outputFormats } from "../../core/view.ts";

/** A flag that every command takes, with its environment variable if it has one. */
interface GlobalFlag extends Omit<GlobalNode, "names" | "kind" | "notes"> {
  readonly name: string;
  /** The switch turns something off: `--no-NAME`. */
  readonly negative?: true;
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
    text: "Columns to show, in this order, in a table, csv or tsv: titles, names or dotted paths",
  },
  { name: "header", group: "Output", negative: true, text: "Omit the header" },
  {
    name: "jq",
    group: "Output",
    value: "EXPR",
    text: "Filter the JSON output with jq; strings are printed raw",
  },
  { name: "quiet", group: "Output", short: "q", text: "Suppress notes and progress; errors are still shown" },
  { name: "yes", group: "Prompts and checks", short: "y", text: "Answer yes to every confirmation" },
  {
    name: "input",
    group: "Prompts and checks",
    negative: true,
    env: "GPUCTL_NO_INPUT",
    text: "Never prompt",
  },
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
    text: "Use the sandbox inside gpuctl: no account, nothing is rented",
  },
  {
    name: "base-url",
    group: "Service",
    value: "URL",
    env: "GPUCTL_BASE_URL",
    text: "Base URL of the compute API",
  },
  {
    name: "inference-base-url",
    group: "Service",
    value: "URL",
    env: "GPUCTL_INFERENCE_BASE_URL",
    defaultText: "the base URL",
    text: "Base URL of the inference API",
  },
  {
    name: "timeout",
    group: "Service",
    value: "DURATION",
    env: "GPUCTL_TIMEOUT",
    defaultText: `${duration(defaultTimeout.compute)} for compute, ${duration(defaultTimeout.inference)} for inference`,
    text: "Time limit for one attempt. For a stream or a long list, it applies to each wait for more data",
  },
  {
    name: "retries",
    group: "Service",
    value: "N",
    env: "GPUCTL_RETRIES",
    default: String(defaultRetries),
    text: retriesText,
  },
  { name: "dry-run", group: "Prompts and checks", text: "Print the request without sending it" },
  {
    name: "validate",
    group: "Prompts and checks",
    negative: true,
    text: "Send values outside the documented limits and let the service decide",
  },
  {
    name: "insecure-http",
    group: "Service",
    text: "Allow sending the key over plain http to another machine",
  },
  { name: "debug", group: "Output", text: "Show requests, statuses and timing on stderr, never the key" },
  {
    name: "color",
    group: "Output",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    default: "auto",
    text: "Use colors",
  },
] as const satisfies readonly GlobalFlag[];

export type GlobalName = (typeof globalFlags)[number]["name"];

/** The global flags on the command line: text for a value, a boolean for a switch. */
export type CliGlobals = { readonly [Name in GlobalName]?: string | boolean };
