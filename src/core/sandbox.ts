/** The one chat model of the sandbox. It echoes, and says so by its name. */
export const sandboxChatModel = "sandbox-echo";

/** What a sandbox may be held to: each is a set of operations that a service of this kind may have. */
export const environmentNames = ["documented", "replacements", "legacy"] as const;

export type EnvironmentName = (typeof environmentNames)[number];

/** Marks an answer of the sandbox that a fault befell, with the number of the fault. */
export const faultHeader = "Gpuctl-Sandbox-Fault";

/** What a fault of the sandbox does when nothing else is said. */
export const faultDefaults = { after: 0, times: 1 } as const;

/** How many requests of its log the sandbox shows when nothing else is said, and how many it keeps. */
export const requestLog = { shown: 50, kept: 1000 } as const;
