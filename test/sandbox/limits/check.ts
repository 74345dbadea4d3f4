import type { LimitId } from "../../../src/sandbox/limits.ts";

/** Shows that the sandbox does what an entry of its limits says; throws when it does not. `text` is the entry. */
type Check = (text: string) => Promise<void> | void;

export type Checks = { readonly [Id in LimitId]?: Check };
