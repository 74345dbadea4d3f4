import type { ReadAnswer } from "./attempt.ts";
import { orAborted } from "./deadline.ts";
import type { RequestLine } from "./errors.ts";
import { readBytes } from "./fetch.ts";
import type { Attempt } from "./retry.ts";

/** An answer that was read to its end. */
export interface WholeAnswer {
  readonly status: number;
  readonly request: RequestLine;
  readonly header: (name: string) => string | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Uint8Array;
  readonly text: () => string;
}

/** Reads a success to its end, then understands it. Throws `AnswerTooLarge` for more bytes than asked for. */
export const inWhole =
  <Value>(understand: (answer: WholeAnswer) => Attempt<Value>, mostBytes?: number): ReadAnswer<Value> =>
  async (answer, { limit, request: { method, url } }) => {
    const bytes = await orAborted(readBytes(answer, mostBytes), limit.signal);
    return understand({
      status: answer.status,
      request: { method, url },
      header: (name) => answer.headers.get(name),
      headers: [...answer.headers.entries()],
      bytes,
      text: () => new TextDecoder().decode(bytes),
    });
  };
