/** The one chat model of the sandbox. It echoes, and says so by its name. */
export const sandboxChatModel = "sandbox-echo";

/** The operation sets of a sandbox: each has the operations that a service of this kind may serve. */
export const operationSetNames = ["documented", "replacements", "legacy"] as const;

export type OperationSetName = (typeof operationSetNames)[number];

/** The header of a response that a fault changed: the number of the fault. */
export const faultHeader = "Gpuctl-Sandbox-Fault";

/** How many calls a fault lets pass and then affects by default. */
export const faultDefaults = { after: 0, times: 1 } as const;

/** How many logged requests the sandbox shows by default, and how many it keeps. */
export const requestLog = { shown: 50, kept: 1000 } as const;
