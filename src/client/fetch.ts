import { AnswerTooLarge } from "./errors.ts";

/**
 * What the client needs of a `fetch`: the part of the web's that the transport, the sandbox and a test double share.
 * The global `fetch` fits, but is slow to load and to leave on Node 20.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Called when the request has left, while its answer is waited for, by a `fetch` that can tell. */
  readonly onSent?: () => void;
}

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null; entries(): Iterable<[string, string]> };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** The bytes of an answer as text. */
export async function readText({ body }: Pick<FetchAnswer, "body">): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** The bytes of an answer. Throws `AnswerTooLarge`, and reads no further, when there are more than `most`. */
export async function readBytes(answer: FetchAnswer, most = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > most) throw new AnswerTooLarge(most);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
