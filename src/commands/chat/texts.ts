import type { Context } from "../../command-kit/context.ts";
import { EmptyResult } from "../../core/errors.ts";
import type { Text, TextPiece } from "../../core/result.ts";
import { type Completion, reportCompletion, reportToolCalls } from "./completion.ts";
import { checkAnswer } from "./schema.ts";
import type { StoredCompletion } from "./session.ts";

/** Reports what `reportCompletion` reports. Throws if the answer could not be stored or does not match the schema. */
export type Finish = () => Promise<void>;

interface FinishOptions {
  readonly usage: boolean;
  readonly toolCalls?: boolean;
  /** The `response_format` whose schema the answer must match; undefined for no check. */
  readonly format: unknown;
}

export const finishing =
  (
    completion: StoredCompletion,
    { format, ...reported }: FinishOptions,
    context: Pick<Context, "say">,
  ): Finish =>
  async () => {
    const summary = completion.summary();
    reportCompletion(summary, reported, context);
    const failure = completion.failure();
    if (failure) throw failure;
    if (format !== undefined) await checkAnswer(summary, format, context);
  };

/** Yields the text as it arrives, and the reasoning as asides. */
export async function* texts(completion: Completion): AsyncGenerator<TextPiece> {
  for await (const { kind, text } of completion) yield kind === "text" ? text : { aside: text };
}

/**
 * Returns the function to call after the text. Without an error, this function calls `finish`. After an error, it
 * reports the tool calls or, if the answer ended without text, everything that `reportCompletion` reports. It warns if
 * the answer could not be stored. If the user interrupted an answer that had begun, it says that the answer is
 * incomplete.
 */
export const afterText =
  (
    completion: StoredCompletion,
    { finish, usage }: { readonly finish: Finish; readonly usage: boolean },
    { interrupted, say, setFailureContext }: Pick<Context, "interrupted" | "say" | "setFailureContext">,
  ): NonNullable<Text["after"]> =>
  async (error) => {
    if (error === undefined) return finish();
    const summary = completion.summary();
    if (error instanceof EmptyResult && summary.finish !== undefined)
      reportCompletion(summary, { usage }, { say });
    else reportToolCalls(summary, { say });
    const failure = completion.failure();
    if (failure) say(`Warning: ${failure.message}.`);
    if (!interrupted.aborted || summary.text === "") return;
    setFailureContext("The answer is incomplete. You may have been charged for it.");
  };

/** Yields each event as the service sent it, then runs `finish`. */
export async function* records(completion: Completion, finish: Finish): AsyncGenerator<readonly unknown[]> {
  for await (const event of completion.events()) yield [event];
  await finish();
}
