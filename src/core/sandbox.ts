/** The sandbox's built-in chat model. It echoes its input. */
export const sandboxChatModel = "sandbox-echo";

/** The prefix of every key that a sandbox issues. */
export const sandboxKeyPrefix = "gpuctl-sandbox-";

/** The built-in keys of every sandbox: one with full access, one that is read-only. They are not secret. */
export const sandboxKeys = {
  full: `${sandboxKeyPrefix}full`,
  readOnly: `${sandboxKeyPrefix}read-only`,
} as const;

/** Why the file with the state of a sandbox cannot be used. */
export type StateProblem = "unavailable" | "damaged" | "newer" | "foreign";

/** What to do if the file with the state of a sandbox cannot be used. */
export function stateHint(problem: string | undefined): string {
  if (problem === "unavailable") {
    return "Free some disk space, wait until other gpuctl processes have ended, or set GPUCTL_STATE_DIR to a folder that you can write to.";
  }
  const update = problem === "newer" ? "Update gpuctl, or run" : "Run";
  return `${update} \`gpuctl sandbox reset\` to move the file aside and start with a new one.`;
}

/** The names of the sets of operations to which a sandbox can be limited, to resemble a service that has only these. */
export const operationSetNames = ["documented", "replacements", "legacy"] as const;

export type OperationSetName = (typeof operationSetNames)[number];

/** The response header with the number of the fault that changed the response. */
export const faultHeader = "Gpuctl-Sandbox-Fault";

/** What an engine can generate. An engine is the user's own inference server, to which the sandbox passes requests. */
export const engineKinds = ["chat", "image", "audio"] as const;

export type EngineKind = (typeof engineKinds)[number];

/** The response header that lists the request's fields for which the engine has no equivalent, separated by commas. */
export const ignoredFieldsHeader = "Gpuctl-Sandbox-Ignored-Fields";

/** The response header with the index, in the chat script, of the reply that was sent. */
export const replyHeader = "Gpuctl-Sandbox-Reply";

/**
 * Defaults of a fault: it skips no calls (`after`) and affects one call (`times`). With `every` or `rate`, `times` has
 * no limit by default. `seed` is used only with `rate`.
 */
export const faultDefaults = { after: 0, times: 1, seed: 0 } as const;

/** How the boot of a rental can differ from the usual boot: it takes longer, fails (status Failed), or never ends. */
export const bootOutcomes = ["slow", "failed", "never"] as const;

/** The request header that names the caller, so that its requests can be distinguished from those of other callers. */
export const callerHeader = "Gpuctl-Sandbox-Caller";

/**
 * Limits of the request log: how many requests are shown by default, how many are kept, the lengths in characters up to
 * which a body and a response are stored, and the length to which a text in a body is shortened.
 */
export const requestLog = {
  shown: 50,
  kept: 1000,
  maxBodyLength: 65_536,
  maxResponseLength: 16_384,
  maxTextLength: 4096,
} as const;

/** Whether the request log has as many matching requests as expected. */
export interface ExpectationResult {
  readonly met: boolean;
  /** What was expected, in words. */
  readonly expected: string;
  /** How many requests match. */
  readonly count: number;
  /** How many requests are in the log. */
  readonly logged: number;
  /** If too few requests match, the other requests that come closest. If too many match, the latest matching ones. */
  readonly requests: readonly { readonly number: number; readonly text: string }[];
}

/** Splits a condition `FIELD=VALUE`; undefined if the text does not have this form. */
export function splitCondition(text: string): readonly [string, string] | undefined {
  const at = text.indexOf("=");
  return at < 1 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}

/** The kinds of situations in real clouds that a sandbox can simulate. */
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

/** Named sets of situations, boot rules and faults. Each value says what happens in the scenario. */
export const scenarios = {
  "capacity-crunch": "each region has 8 GPUs of each type, but us-central-1 and us-east-1 have no h100",
  flaky: "10% of the calls return 503, and 5% of the others reset the connection",
  "slow-boot": "rentals take 10 minutes to boot",
  "out-of-money": "$1.00 is left, pictures cost money, and rentals end when the balance is used up",
  "rate-limited": "after 10 calls within 10 s, calls get 429 until the 10 s are over",
  none: "no situations, boot rules or faults",
} as const;

export type ScenarioName = keyof typeof scenarios;

/**
 * The controls of a served sandbox: their base path, the path of their description below it, the paths of the pages for
 * browsers, the response of `/health`, and the name of the controls in messages.
 */
export const servedControls = {
  path: "/_sandbox",
  description: "/openapi.json",
  pages: { overview: "/", reference: "/docs" },
  health: { gpuctlSandbox: "served" },
  name: "the sandbox's controls",
} as const;
