import type { TestContext } from "vitest";
import type { LimitId } from "../../../src/sandbox/limits.ts";

/**
 * Throws unless the sandbox behaves as a documented assumption says. `text` is the text of the assumption. A check
 * that needs a program uses the context to skip itself if the program is missing.
 */
type Check = (text: string, context: Pick<TestContext, "skip">) => Promise<void> | void;

export type Checks = { readonly [Id in LimitId]?: Check };
