import { AnswerCut, ServiceError } from "../../client/errors.ts";
import type { ServerEvent } from "../../client/sse.ts";
import type { Context } from "../../context/context.ts";
import type { InputOf } from "../../contract/index.ts";
import { type Piece, readPiece, type Usage } from "./wire.ts";

export interface Ending {
  readonly finish: string | undefined;
  readonly usage: Usage | undefined;
}

/** An event of the answer: as it came, and what it says. */
export interface Heard {
  readonly body: unknown;
  readonly piece: Piece;
}

/**
 * The events of the answer as they come. Throws `AnswerCut` when one of them reports a failure, and when the stream
 * ends without `[DONE]` or a finish reason: what came before is then only a part.
 */
export async function* heard(
  input: InputOf<"createChatCompletion">,
  context: Context,
  tell: (ending: Ending) => void,
): AsyncGenerator<Heard> {
  let finish: string | undefined;
  let usage: Usage | undefined;
  let done = false;
  const spoken = untilSpoken(context);
  try {
    for await (const event of await open(input, context)) {
      done = event.data.trim() === "[DONE]";
      if (done) break;
      const { body, piece, fault } = readEvent(event);
      finish = piece.finish ?? finish;
      usage = piece.usage ?? usage;
      if (piece.text !== "") await spoken();
      if (body !== undefined) yield { body, piece };
      if (fault !== undefined) throw new AnswerCut(fault);
    }
  } finally {
    await spoken();
  }
  if (!done && finish === undefined) throw new AnswerCut("it ended before the answer was whole");
  tell({ finish, usage });
}

/** Just the text. */
export async function* texts(events: AsyncIterable<Heard>): AsyncGenerator<string> {
  for await (const { piece } of events) if (piece.text !== "") yield piece.text;
}

/** Just what came, one by one. */
export async function* bodies(events: AsyncIterable<Heard>): AsyncGenerator<readonly unknown[]> {
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

function readEvent({ event, data }: ServerEvent): Heard & { readonly fault: string | undefined } {
  const body = parse(data);
  const piece = readPiece(body);
  const fault = event === "error" ? (piece.error ?? data) : piece.error;
  const garbage =
    body === undefined ? `it holds something that is not JSON: ${data.slice(0, 80)}` : undefined;
  return { body, piece, fault: fault ?? garbage };
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
