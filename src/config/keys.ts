import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import { retriesText } from "../core/values/defaults.ts";
import { outputFormats } from "../core/view.ts";

/** How a value is validated. A value that is the default of a flag has the same rule as the flag. */
export type ConfigRule = "choice" | "count" | "dollars" | "duration" | "prices" | "switch" | "text" | "url";

/** A value that a profile can hold. */
export interface ConfigKey {
  /** May contain dots. In the file, each dot starts a nested object. */
  readonly name: string;
  /** Describes what the value sets, in a few words. */
  readonly text: string;
  readonly rule: ConfigRule;
  /** The choices, if they do not come from `field`. */
  readonly choices?: readonly string[];
  /** The global flag that has this value as its default. */
  readonly global?: string;
  /** The field that has this value as its default, and the operations to which that applies. */
  readonly field?: { readonly name: string; readonly operations: readonly OperationId[] };
  /** The flag of a command that has this value as its default. */
  readonly flag?: string;
}

const rentals: readonly OperationId[] = ["createVirtualMachineRental", "createBareMetalRental"];

/**
 * Every configuration key. The file's schema, its checks, the settings, help and completions are derived from this
 * list.
 */
export const configKeys = [
  { name: "baseUrl", text: "Base URL of the compute API", rule: "url", global: "base-url" },
  {
    name: "inferenceBaseUrl",
    text: "Base URL of the inference API",
    rule: "url",
    global: "inference-base-url",
  },
  { name: "sandbox", text: "Use the sandbox inside gpuctl", rule: "switch", global: "sandbox" },
  { name: "apiKeyCommand", text: "Command that prints the API key", rule: "text" },
  {
    name: "output",
    text: "Output format",
    rule: "choice",
    choices: outputFormats,
    global: "output",
  },
  { name: "timeout", text: "Time limit for one attempt", rule: "duration", global: "timeout" },
  { name: "retries", text: retriesText, rule: "count", global: "retries" },
  {
    name: "rentals.region",
    text: "Region of new rentals",
    rule: "choice",
    field: { name: "region", operations: rentals },
  },
  {
    name: "rentals.gpuType",
    text: "GPU model of new rentals",
    rule: "choice",
    field: { name: "gpuType", operations: rentals },
  },
  {
    name: "image.model",
    text: "Image model",
    rule: "choice",
    field: { name: "model_name", operations: ["generateImage"] },
  },
  {
    name: "chat.model",
    text: "Chat model",
    rule: "text",
    field: { name: "model", operations: ["createChatCompletion"] },
  },
  {
    name: "chat.sessions",
    text: "Keep the last question for `chat --continue`; conversations and named sessions are always kept",
    rule: "switch",
  },
  {
    name: "chat.prices",
    text: "Prices of chat models in dollars per million tokens, such as llama=0.60/2.40,qwen=0.1/0.3: input, then output",
    rule: "prices",
  },
  {
    name: "budget.maxCost",
    text: "Maximum cost of what one command generates, in dollars",
    rule: "dollars",
    flag: "max-cost",
  },
  {
    name: "budget.maxBurn",
    text: "Maximum hourly cost of active rentals, in dollars",
    rule: "dollars",
    flag: "max-burn",
  },
] as const satisfies readonly ConfigKey[];

export type ConfigKeyName = (typeof configKeys)[number]["name"];

/** The key of this name, if there is one. */
export const configKey = (name: string): (ConfigKey & { readonly name: ConfigKeyName }) | undefined =>
  configKeys.find((key) => key.name === name);

/** The choices of a value, combined from all its operations; undefined if the value is not limited to choices. */
export function choicesOf({ choices, field, rule }: ConfigKey): readonly string[] | undefined {
  if (rule === "switch") return ["true", "false"];
  if (choices || !field) return choices;
  const all = field.operations.flatMap(
    (id) => routes[id].fields.find(({ name }) => name === field.name)?.choices ?? [],
  );
  return all.length > 0 ? [...new Set(all)] : undefined;
}

/** The key that sets the default of a global flag or of a command flag. */
export const keyOfFlag = (kind: "global" | "flag", name: string): ConfigKeyName | undefined =>
  configKeys.find((key: ConfigKey) => key[kind] === name)?.name;
