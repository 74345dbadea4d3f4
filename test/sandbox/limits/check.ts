import type { LimitId } from "../../../src/sandbox/limits.ts";

/** Throws unless the sandbox behaves as a documented limit says. `text` is the text of the limit. */
type Check = (text: string) => Promise<void> | void;

export type Checks = { readonly [Id in LimitId]?: Check };
