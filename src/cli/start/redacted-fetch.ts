import type { Fetch, FetchResponse } from "../../client/fetch.ts";
import { type Redactor, redactedBytes } from "../../core/redact.ts";

/**
 * The same `fetch`, except that a key that a response quotes is masked as it arrives: what is shown of a response may be
 * cut, and the rest of a key would not be recognized.
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

/** Passes the bytes on as they arrive, except for the end of a line that a secret may continue. */
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
