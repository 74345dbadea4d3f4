/** The sandbox's built-in chat model. It echoes its input. */
export const sandboxChatModel = "sandbox-echo";

/** The prefix of every key that a sandbox issues. */
export const sandboxKeyPrefix = "gpuctl-sandbox-";

/** The built-in keys of every sandbox: one with full access, one that is read-only. They are not secret. */
export const sandboxKeys = {
  full: `${sandboxKeyPrefix}full`,
  readOnly: `${sandboxKeyPrefix}read-only`,
} as const;

/** The names of the operation sets of a sandbox. Each set resembles a service that serves only some operations. */
export const operationSetNames = ["documented", "replacements", "legacy"] as const;

export type OperationSetName = (typeof operationSetNames)[number];

/** The response header with the number of the fault that changed the response. */
export const faultHeader = "Gpuctl-Sandbox-Fault";

/** What an engine, the user's own inference server, can generate in place of the sandbox. */
export const engineKinds = ["chat", "image", "audio"] as const;

export type EngineKind = (typeof engineKinds)[number];

/** The response header with the fields of the request, separated by commas, that an engine has no equivalent for. */
export const ignoredFieldsHeader = "Gpuctl-Sandbox-Ignored-Fields";

/** The response header with the index of the reply in the chat script. */
export const replyHeader = "Gpuctl-Sandbox-Reply";

/** By default, a fault skips no call (`after`), affects one (`times`), and has this seed if it has a rate. */
export const faultDefaults = { after: 0, times: 1, seed: 0 } as const;

/** How the boot of a rental can end instead of as usual: late, with the status Failed, or not at all. */
export const bootOutcomes = ["slow", "failed", "never"] as const;

/** The request header that names a caller, so that its requests can be told from those of others. */
export const callerHeader = "Gpuctl-Sandbox-Caller";

/**
 * The number of logged requests that the sandbox shows by default, and the number that it keeps; and the length in characters
 * up to which it stores a body and a text in it.
 */
export const requestLog = { shown: 50, kept: 1000, maxBodyLength: 65_536, maxTextLength: 4096 } as const;

/** Whether the request log has as many matching requests as expected. */
export interface ExpectationResult {
  readonly met: boolean;
  /** In words. */
  readonly expected: string;
  /** How many requests match. */
  readonly count: number;
  /** How many requests are in the log. */
  readonly logged: number;
  /** If there are too few, those that match most of the conditions; if there are too many, the last ones. */
  readonly requests: readonly { readonly number: number; readonly text: string }[];
}

/** Splits a condition `FIELD=VALUE`; undefined if it is not one. */
export function splitCondition(text: string): readonly [string, string] | undefined {
  const at = text.indexOf("=");
  return at < 1 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}

/** What a situation of a sandbox can be, as real clouds have them. */
export const situationKinds = [
  "capacity",
  "quota",
  "interruption",
  "failure",
  "rate-limit",
  "prepaid",
  "picture-prices",
  "same-region",
] as const;

export type SituationKind = (typeof situationKinds)[number];

/** Named sets of situations, boot rules and faults, each with what happens in it. */
export const scenarios = {
  "capacity-crunch": "each region has 8 GPUs of each type, but us-central-1 and us-east-1 have no h100",
  flaky: "10% of the calls return 503, and 5% reset the connection",
  "slow-boot": "rentals take 10 minutes to boot",
  "out-of-money": "$1.00 is left, pictures cost money, and rentals end when the balance is used up",
  "rate-limited": "after 10 calls within 10 s, calls get 429 until the 10 s are over",
  none: "no situations, boot rules or faults",
} as const;

export type ScenarioName = keyof typeof scenarios;

/**
 * The controls of a served sandbox: the path below which they are, those of the pages for browsers, the response of `/health`, and
 * their name.
 */
export const servedControls = {
  path: "/_sandbox",
  pages: { overview: "/", reference: "/docs" },
  health: { gpuctlSandbox: "served" },
  name: "the sandbox's controls",
} as const;
