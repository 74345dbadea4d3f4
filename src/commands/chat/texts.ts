import type { Context } from "../../command-kit/context.ts";
import type { TextPiece } from "../../core/result.ts";
import { type Completion, reportToolCalls } from "./completion.ts";

/** Reports what is special about a completion. Throws if its answer could not be stored, or is not as it must be. */
export type Finish = () => Promise<void>;

/** The text as it arrives, and the reasoning as asides. */
export async function* texts(
  completion: Completion,
  finish: Finish,
  context: Pick<Context, "interrupted" | "say" | "setFailureContext">,
): AsyncGenerator<TextPiece> {
  try {
    for await (const { kind, text } of completion) yield kind === "text" ? text : { aside: text };
  } catch (error) {
    reportToolCalls(completion.summary(), context);
    if (context.interrupted.aborted && completion.summary().text !== "") {
      context.setFailureContext("The answer is incomplete. You may have been charged for it.");
    }
    throw error;
  }
  await finish();
}

/** Each event as the service sent it. */
export async function* records(completion: Completion, finish: Finish): AsyncGenerator<readonly unknown[]> {
  for await (const event of completion.events()) yield [event];
  await finish();
}
