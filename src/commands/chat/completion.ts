import { type CompletionChunk, completionChunks, type Usage } from "../../client/stream.ts";
import type { Context } from "../../command-kit/context.ts";
import type { InputOf } from "../../contract/index.ts";
import { ServiceError } from "../../core/service-errors.ts";

export interface Ending {
  readonly finish: string | undefined;
  readonly usage: Usage | undefined;
}

/**
 * The events of the response as they arrive. Throws `StreamTruncated` when one of them reports a failure, and when the stream
 * ends without `[DONE]` or a finish reason: what came before is then only a part.
 */
export async function* streamCompletion(
  input: InputOf<"createChatCompletion">,
  context: Pick<Context, "progress" | "stream">,
  report: (ending: Ending) => void,
): AsyncGenerator<CompletionChunk> {
  let finish: string | undefined;
  let usage: Usage | undefined;
  const hideProgress = showProgress(context);
  try {
    for await (const piece of completionChunks(await open(input, context))) {
      finish = piece.finish ?? finish;
      usage = piece.usage ?? usage;
      if (piece.text !== "") await hideProgress();
      yield piece;
    }
  } finally {
    await hideProgress();
  }
  report({ finish, usage });
}

/** Just the text. */
export async function* texts(events: AsyncIterable<CompletionChunk>): AsyncGenerator<string> {
  for await (const { text } of events) if (text !== "") yield text;
}

/** Just the events as they came. */
export async function* bodies(events: AsyncIterable<CompletionChunk>): AsyncGenerator<readonly unknown[]> {
  for await (const { body } of events) yield [body];
}

/** Shows that a response is on its way until the returned function is called. */
function showProgress({ progress }: Pick<Context, "progress">): () => Promise<void> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const shown = progress("Thinking", () => ended);
  return () => {
    end();
    return shown;
  };
}

/** Opens the stream; once more without asking for token counts where the service rejects that. */
async function open(input: InputOf<"createChatCompletion">, { stream }: Pick<Context, "stream">) {
  const { stream_options: counts, ...rest } = input;
  try {
    return await stream("createChatCompletion", input);
  } catch (error) {
    const rejected = error instanceof ServiceError && (error.status === 400 || error.status === 422);
    if (!rejected || counts === undefined) throw error;
    return stream("createChatCompletion", { ...rest, model: input.model, messages: input.messages });
  }
}

/** Says on stderr what a reader would miss: that the response is incomplete, and the tokens when asked for. */
export function reportEnding(
  { finish, usage }: Ending,
  withUsage: boolean,
  { say }: Pick<Context, "say">,
): void {
  if (finish === "length") say("The response was cut at the token limit; --max-tokens raises it.");
  if (finish === "content_filter") say("The service withheld a part of the response.");
  if (!withUsage) return;
  say(
    usage
      ? `Tokens: ${usage.prompt_tokens ?? "?"} in, ${usage.completion_tokens ?? "?"} out`
      : "The service reported no token counts.",
  );
}
