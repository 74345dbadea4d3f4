import type { CallOptions, Negotiator } from "../client/call-options.ts";
import { orAborted } from "../client/deadline.ts";
import { createDescriber, type Describer } from "../client/describer.ts";
import { type DescriptionCache, patienceMs } from "../client/description-cache.ts";

/**
 * What a client knows of its service's description, kept in memory as the tool keeps it in a file: asked for when it is
 * first needed, and by one of the calls that need it at the same time. A call's signal ends its own waiting only.
 */
export function createNegotiators(options: () => CallOptions): (signal?: AbortSignal) => Negotiator {
  const texts = new Map<string, string>();
  const cache: DescriptionCache = {
    read: async (url) => texts.get(url),
    write: async (url, text) => {
      texts.set(url, text);
    },
  };
  let describer: Describer | undefined;
  let until = 0;
  /** A describer asks but once, and a client may live for long. */
  const current = (): Describer => {
    const now = Date.now();
    if (describer === undefined || now >= until) {
      describer = createDescriber(async () => options(), cache);
      until = now + patienceMs;
    }
    return describer;
  };
  return (signal) => {
    const waited = async (ask: (describer: Describer) => ReturnType<Negotiator["soon"]>) => {
      signal?.throwIfAborted();
      const asked = ask(current());
      return signal ? orAborted(asked, signal) : asked;
    };
    return { soon: () => waited(({ soon }) => soon()), again: () => waited(({ again }) => again()) };
  };
}
