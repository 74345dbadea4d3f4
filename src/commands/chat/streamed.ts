import { ServiceError } from "../../client/errors.ts";
import { type Piece, pieces, type Usage } from "../../client/pieces.ts";
import type { Context } from "../../context/context.ts";
import type { InputOf } from "../../contract/index.ts";

export interface Ending {
  readonly finish: string | undefined;
  readonly usage: Usage | undefined;
}

/**
 * The events of the answer as they come. Throws `AnswerCut` when one of them reports a failure, and when the stream
 * ends without `[DONE]` or a finish reason: what came before is then only a part.
 */
export async function* heard(
  input: InputOf<"createChatCompletion">,
  context: Context,
  tell: (ending: Ending) => void,
): AsyncGenerator<Piece> {
  let finish: string | undefined;
  let usage: Usage | undefined;
  const spoken = untilSpoken(context);
  try {
    for await (const piece of pieces(await open(input, context))) {
      finish = piece.finish ?? finish;
      usage = piece.usage ?? usage;
      if (piece.text !== "") await spoken();
      yield piece;
    }
  } finally {
    await spoken();
  }
  tell({ finish, usage });
}

/** Just the text. */
export async function* texts(events: AsyncIterable<Piece>): AsyncGenerator<string> {
  for await (const { text } of events) if (text !== "") yield text;
}

/** Just what came, one by one. */
export async function* bodies(events: AsyncIterable<Piece>): AsyncGenerator<readonly unknown[]> {
  for await (const { body } of events) yield [body];
}

/** Shows that an answer is on its way until the function that comes back is called. */
function untilSpoken({ progress }: Pick<Context, "progress">): () => Promise<void> {
  let speak = () => {};
  const silence = new Promise<void>((resolve) => {
    speak = resolve;
  });
  const shown = progress("Thinking", () => silence);
  return () => {
    speak();
    return shown;
  };
}

/** Opens the stream; where the service refuses the wish for token counts, once more without it. */
async function open(input: InputOf<"createChatCompletion">, { stream }: Context) {
  const { stream_options: wish, ...rest } = input;
  try {
    return await stream("createChatCompletion", input);
  } catch (error) {
    const refused = error instanceof ServiceError && (error.status === 400 || error.status === 422);
    if (!refused || wish === undefined) throw error;
    return stream("createChatCompletion", { ...rest, model: input.model, messages: input.messages });
  }
}

/** Says on stderr what a reader would miss: that the answer is not whole, and the tokens when asked for. */
export function tellEnding({ finish, usage }: Ending, wanted: boolean, { say }: Pick<Context, "say">): void {
  if (finish === "length") say("The answer was cut at the token limit; --max-tokens raises it.");
  if (finish === "content_filter") say("The service withheld a part of the answer.");
  if (!wanted) return;
  say(
    usage
      ? `Tokens: ${usage.prompt_tokens ?? "?"} in, ${usage.completion_tokens ?? "?"} out`
      : "The service told no token counts.",
  );
}
