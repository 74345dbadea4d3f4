import type { CallOptions, Negotiator } from "./call-options.ts";
import { descriptionRequest, fetchDescription } from "./description.ts";
import {
  type DescriptionCache,
  documentOf,
  failedLately,
  isFresh,
  type Known,
  readKnown,
  writeKnown,
} from "./description-cache.ts";
import type { Description } from "./document.ts";
import { ServiceError } from "./errors.ts";

/** The description of one service, asked for as rarely as can be. */
export interface Describer extends Negotiator {
  /** As the user asked for it: with the usual time and tries. Throws when it cannot be had. */
  readonly live: (options?: { readonly refresh?: boolean }) => Promise<Description>;
  /** The same within a few seconds; what is kept stands in, however old, as long as the service may still offer it. */
  readonly promptly: () => Promise<Description>;
  /** What is kept, however old. Nothing is sent. */
  readonly kept: () => Promise<Description | undefined>;
  /** Whether `soon` would go by what is kept, and ask nobody. Nothing is sent. */
  readonly settled: () => Promise<boolean>;
}

const isSettled = (known: Known, now: number): boolean => isFresh(known, now) || failedLately(known, now);

/** What a short try came to. */
interface Outcome {
  readonly description: Description | undefined;
  readonly error?: unknown;
}

/** Milliseconds for a short try, and how often it is tried again: for what goes on without, and for what cannot. */
const negotiating = { time: 2_000, retries: 0 };
const needed = { time: 2_500, retries: 1 };
/** Bytes that a short try reads. */
const mostBytes = 16 * 1024 * 1024;

/** Without a cache every describer asks once. */
export function createDescriber(
  options: () => Promise<CallOptions>,
  cache: DescriptionCache | undefined,
): Describer {
  let asked: Promise<Outcome> | undefined;

  const place = ({ target }: CallOptions): string => descriptionRequest(target).url;
  const known = async (given: CallOptions): Promise<Known> => (cache ? readKnown(cache, place(given)) : {});
  const keep = async (given: CallOptions, what: Known): Promise<void> => {
    if (cache && (what.text?.length ?? 0) <= mostBytes) await writeKnown(cache, place(given), what);
  };

  /** Asks the service, and keeps what it says. */
  async function ask(given: CallOptions, before: Known, most?: number): Promise<Description> {
    const old = documentOf(before);
    const fetched = await fetchDescription(given, { etag: old && before.etag, mostBytes: most });
    const checkedAt = given.now();
    if (fetched !== "unchanged") {
      await keep(given, { text: fetched.text, etag: fetched.etag ?? undefined, checkedAt });
      return fetched.description;
    }
    if (old === undefined) throw new Error("a description that was not asked about is said to hold");
    await keep(given, { ...before, checkedAt, failedAt: undefined });
    return old;
  }

  async function askBriefly(
    given: CallOptions,
    before: Known,
    { time, retries } = negotiating,
  ): Promise<Outcome> {
    try {
      const timeout = { compute: Math.min(time, given.timeout.compute), inference: time };
      const brief = { ...given, timeout, retries: Math.min(retries, given.retries) };
      return { description: await ask(brief, before, mostBytes) };
    } catch (error) {
      given.signal?.throwIfAborted();
      const gone = error instanceof ServiceError && error.status < 500;
      const left = gone ? {} : before;
      await keep(given, { ...left, failedAt: given.now() });
      return { description: documentOf(left), error };
    }
  }

  async function soon(): Promise<Outcome> {
    const given = await options();
    const before = await known(given);
    const now = given.now();
    const description = isSettled(before, now) ? documentOf(before) : undefined;
    if (description || failedLately(before, now)) return { description };
    asked = askBriefly(given, before);
    return asked;
  }

  async function anew(): Promise<Outcome> {
    const given = await options();
    return askBriefly(given, await known(given));
  }

  async function promptly(): Promise<Description> {
    const given = await options();
    const before = await known(given);
    const fresh = isFresh(before, given.now()) ? documentOf(before) : undefined;
    if (fresh) return fresh;
    asked ??= askBriefly(given, before, needed);
    const { description, error } = await asked;
    if (description === undefined) throw error;
    return description;
  }

  async function live(refresh: boolean): Promise<Description> {
    const given = await options();
    const before = await known(given);
    const document = !refresh && isFresh(before, given.now()) ? documentOf(before) : undefined;
    return document ?? ask(given, before);
  }

  let first: Promise<Outcome> | undefined;
  let lived: Promise<Description> | undefined;
  return {
    live: ({ refresh = false } = {}) => {
      lived ??= live(refresh);
      return lived;
    },
    promptly,
    soon: async () => {
      first ??= asked ?? soon();
      return (await first).description;
    },
    again: async () => {
      await first;
      asked ??= anew();
      first = asked;
      return (await asked).description;
    },
    kept: async () => documentOf(await known(await options())),
    settled: async () => {
      const given = await options();
      return isSettled(await known(given), given.now());
    },
  };
}
