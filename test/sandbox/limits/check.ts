import type { TestContext } from "vitest";
import type { LimitId } from "../../../src/sandbox/limits.ts";

/**
 * Throws unless the sandbox behaves as a documented limit says. `text` is the text of the limit. The context can skip a check
 * that needs a program.
 */
type Check = (text: string, context: Pick<TestContext, "skip">) => Promise<void> | void;

export type Checks = { readonly [Id in LimitId]?: Check };
