import type { Fetch, FetchResponse } from "../../client/fetch.ts";
import { type Redactor, redactedBytes } from "../../core/redact.ts";

/**
 * The same `fetch`, except that keys in a response are masked as the response arrives. Masking only the text that is
 * shown would not be enough, because that text may be cut in the middle of a key, and part of a key is not recognized.
 */
export const redactedFetch =
  (fetch: Fetch, redactor: Redactor): Fetch =>
  async (url, init) => {
    const { status, headers, body, restored } = await fetch(url, init);
    const clean = body && redactedBody(body, redactor);
    const value = (text: string | null) => text && redactor.redact(text);
    return {
      status,
      headers: {
        get: (name) => value(headers.get(name)),
        entries: () =>
          [...headers.entries()].map(([name, text]): [string, string] => [name, redactor.redact(text)]),
      },
      body: clean?.body ?? null,
      ...(clean && { pending: clean.pending }),
      ...(restored && { restored: (bytes: Uint8Array) => redactedBytes(restored(bytes), redactor.redact) }),
    };
  };

/**
 * Passes bytes on as they arrive, but holds back the end of an unfinished line, which may be part of a secret.
 */
function redactedBody(body: NonNullable<FetchResponse["body"]>, { redact, maxLength }: Redactor) {
  let held: Uint8Array = new Uint8Array();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      const bytes = redactedBytes(held.length === 0 ? chunk : Buffer.concat([held, chunk]), redact);
      const end = Math.max(bytes.length - maxLength(), bytes.lastIndexOf(newline) + 1);
      held = bytes.subarray(end);
      if (end > 0) yield bytes.subarray(0, end);
    }
    const rest = held;
    held = new Uint8Array();
    if (rest.length > 0) yield rest;
  }
  return { body: chunks(), pending: () => held };
}

const newline = 0x0a;
