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
  /** What is kept, however old. Nothing is sent. */
  readonly kept: () => Promise<Description | undefined>;
  /** Whether `soon` would go by what is kept, and ask nobody. Nothing is sent. */
  readonly settled: () => Promise<boolean>;
}

const isSettled = (known: Known, now: number): boolean => isFresh(known, now) || failedLately(known, now);

/** Milliseconds that negotiation may take, and the bytes that it reads. */
const shortTime = 2_000;
const mostBytes = 16 * 1024 * 1024;

/** Without a cache every describer asks once. */
export function createDescriber(
  options: () => Promise<CallOptions>,
  cache: DescriptionCache | undefined,
): Describer {
  let asked: Promise<Description | undefined> | undefined;

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

  async function askBriefly(given: CallOptions, before: Known): Promise<Description | undefined> {
    try {
      const timeout = { compute: Math.min(shortTime, given.timeout.compute), inference: shortTime };
      return await ask({ ...given, timeout, retries: 0 }, before, mostBytes);
    } catch (error) {
      given.signal?.throwIfAborted();
      const gone = error instanceof ServiceError && error.status < 500;
      const left = gone ? {} : before;
      await keep(given, { ...left, failedAt: given.now() });
      return documentOf(left);
    }
  }

  async function soon(): Promise<Description | undefined> {
    const given = await options();
    const before = await known(given);
    const now = given.now();
    const document = isSettled(before, now) ? documentOf(before) : undefined;
    if (document || failedLately(before, now)) return document;
    asked = askBriefly(given, before);
    return asked;
  }

  async function anew(): Promise<Description | undefined> {
    const given = await options();
    return askBriefly(given, await known(given));
  }

  async function live(refresh: boolean): Promise<Description> {
    const given = await options();
    const before = await known(given);
    const document = !refresh && isFresh(before, given.now()) ? documentOf(before) : undefined;
    return document ?? ask(given, before);
  }

  let first: Promise<Description | undefined> | undefined;
  let lived: Promise<Description> | undefined;
  return {
    live: ({ refresh = false } = {}) => {
      lived ??= live(refresh);
      return lived;
    },
    soon: () => {
      first ??= soon();
      return first;
    },
    again: async () => {
      await first;
      asked ??= anew();
      first = asked;
      return asked;
    },
    kept: async () => documentOf(await known(await options())),
    settled: async () => {
      const given = await options();
      return isSettled(await known(given), given.now());
    },
  };
}
