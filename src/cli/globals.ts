import type { GlobalFlag } from "../commands/global-flag.ts";
import { outputFormats } from "../output/view.ts";

export const globalFlags = [
  {
    name: "output",
    short: "o",
    value: "FORMAT",
    choices: outputFormats,
    env: "GPUCTL_OUTPUT",
    default: "table",
    text: "How the result is printed",
  },
  { name: "quiet", short: "q", text: "Nothing on stderr but errors" },
  { name: "yes", short: "y", text: "Answer every confirmation with yes" },
  { name: "input", negative: true, env: "GPUCTL_NO_INPUT", text: "Never prompt" },
  { name: "profile", value: "NAME", env: "GPUCTL_PROFILE", text: "Profile to use" },
  {
    name: "sandbox",
    env: "GPUCTL_SANDBOX",
    text: "Use the service inside gpuctl: no account, nothing is rented",
  },
  { name: "base-url", value: "URL", env: "GPUCTL_BASE_URL", text: "Host of the compute API" },
  {
    name: "inference-base-url",
    value: "URL",
    env: "GPUCTL_INFERENCE_BASE_URL",
    text: "Host of the inference API; the base URL when left out",
  },
  {
    name: "timeout",
    value: "DURATION",
    env: "GPUCTL_TIMEOUT",
    text: "Longest time for one try (30s for compute and 5m for inference when left out)",
  },
  {
    name: "retries",
    value: "N",
    env: "GPUCTL_RETRIES",
    default: "3",
    text: "Try reads again this many times; writes are never sent twice",
  },
  { name: "dry-run", text: "Print the request that would be sent, send nothing" },
  { name: "validate", negative: true, text: "Let the service decide even where a documented limit says no" },
  { name: "insecure-http", text: "Let the key travel over plain http to another machine" },
  { name: "debug", text: "Show requests, answers and timing on stderr; never the key" },
  {
    name: "color",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    default: "auto",
    text: "Use colours",
  },
] as const satisfies readonly GlobalFlag[];

export type GlobalName = (typeof globalFlags)[number]["name"];

/** What was typed: text for a value, true or false for a switch. */
export type TypedGlobals = { readonly [Name in GlobalName]?: string | boolean };
