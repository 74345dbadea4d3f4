import { AnswerCut, ServiceError } from "../../client/errors.ts";
import type { ServerEvent } from "../../client/sse.ts";
import type { Context } from "../../context/context.ts";
import type { InputOf } from "../../contract/index.ts";
import { type Piece, readPiece, type Usage } from "./wire.ts";

export interface Ending {
  readonly finish: string | undefined;
  readonly usage: Usage | undefined;
}

/**
 * The answer's text as it comes. Throws `AnswerCut` when the stream ends without `[DONE]` or a finish reason:
 * what came before is then only a part.
 */
export async function* streamed(
  input: InputOf<"createChatCompletion">,
  context: Context,
  tell: (ending: Ending) => void,
): AsyncGenerator<string> {
  const events = await context.progress("Thinking", () => open(input, context));
  let finish: string | undefined;
  let usage: Usage | undefined;
  let done = false;
  for await (const event of events) {
    done = event.data.trim() === "[DONE]";
    if (done) break;
    const piece = readEvent(event);
    finish = piece.finish ?? finish;
    usage = piece.usage ?? usage;
    if (piece.text !== "") yield piece.text;
  }
  if (!done && finish === undefined) throw new AnswerCut("it ended before the answer was whole");
  tell({ finish, usage });
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

function readEvent({ event, data }: ServerEvent): Piece {
  const body = parse(data);
  const piece = readPiece(body);
  const error = event === "error" ? (piece.error ?? data) : piece.error;
  if (error !== undefined) throw new AnswerCut(error);
  if (body === undefined) throw new AnswerCut(`it holds something that is not JSON: ${data.slice(0, 80)}`);
  return piece;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
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
