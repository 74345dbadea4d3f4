import { isRecord, parseJson } from "../core/json.ts";
import { ServiceError } from "../core/service-errors.ts";
import { type Description, readDescription } from "./document.ts";

/** Looks up the description for calls that also work without it. A failed fetch does not reject, but an abort does. */
export interface DescriptionLookup {
  /**
   * Returns the cached description if it is current, and otherwise fetches it within 2 s. If fetching fails, or failed
   * in the last 5 minutes, returns an outdated copy, or undefined if there is none. A 4xx response removes the copy.
   */
  readonly get: () => Promise<Description | undefined>;
  /**
   * Fetches the description again, because the cached one may be outdated. If `get`, `refresh`, or `load` with a
   * `timeout` has already fetched it, returns the result of that fetch.
   */
  readonly refresh: () => Promise<Description | undefined>;
}

/**
 * The description of one service. Each method fetches it at most once, except that `load` fetches it again after a
 * failure or for `refresh`.
 */
export interface DescriptionStore extends DescriptionLookup {
  /**
   * Rejects if the description cannot be fetched. The option `refresh` ignores the cache. With the option `timeout`
   * (milliseconds), `refresh` has no effect, the fetch is retried only once, and if it fails, an outdated copy is
   * returned instead of an error, if there is one.
   */
  readonly load: (options?: {
    readonly refresh?: boolean;
    readonly timeout?: number;
  }) => Promise<Description>;
  /** The cached description, however old. `isCurrent` says whether `get` would return it without a request. */
  readonly peek: () => Promise<{ description: Description | undefined; isCurrent: boolean }>;
}

/** Where the description is fetched from. */
export interface DescriptionSource {
  /** The key in the cache. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal | undefined;
  /** Resolves with "unchanged" if the given ETag is current. */
  readonly fetch: (limits: FetchLimits) => Promise<FetchedDescription | "unchanged">;
}

/** `timeout` (milliseconds per attempt) and `retries` can only lower the limits of the source. */
interface FetchLimits {
  readonly etag?: string | undefined;
  readonly maxBytes?: number;
  readonly timeout?: number;
  readonly retries?: number;
}

interface FetchedDescription {
  readonly text: string;
  readonly description: Description;
  readonly etag: string | undefined;
}

/** Stores a text per URL. Neither method throws: a text that cannot be stored is fetched again. */
export interface DescriptionCache {
  readonly read: (url: string) => Promise<string | undefined>;
  readonly write: (url: string, text: string) => Promise<void>;
}

/** The cached state of a description. Times are milliseconds since the epoch. */
interface Entry {
  readonly etag?: string | undefined;
  /** When the service last sent the description or confirmed that it is current. */
  readonly checkedAt?: number | undefined;
  /** When fetching the description last failed. */
  readonly failedAt?: number | undefined;
  /** The unparsed document. */
  readonly text?: string | undefined;
}

const maxAgeMs = 24 * 3_600_000;
/** For this long after a failure, `get` does not fetch again. */
export const retryAfterMs = 5 * 60_000;
const maxBytes = 16 * 1024 * 1024;
const lookupLimits = { timeout: 2_000, retries: 0 };

const isWithin = (time: number | undefined, span: number, now: number): boolean =>
  time !== undefined && time <= now && now - time < span;

const documentOf = ({ text }: Entry): Description | undefined =>
  text === undefined ? undefined : readDescription(text);

/** The result of a fetch that may have failed. After a failure, `description` may be the cached copy. */
interface FetchResult {
  readonly description: Description | undefined;
  readonly error?: unknown;
}

/** Creates the store of one service's description. Without a `cache`, the store keeps nothing between runs. */
export function createDescriptionStore(
  open: () => Promise<DescriptionSource>,
  cache: DescriptionCache | undefined,
): DescriptionStore {
  /** Opens the source and reads its cache entry. */
  async function openCached() {
    const source = await open();
    const entry = cache ? await readEntry(cache, source.url) : {};
    const now = source.now();
    const isFresh = entry.text !== undefined && isWithin(entry.checkedAt, maxAgeMs, now);
    return { source, entry, isFresh, hasFailed: isWithin(entry.failedAt, retryAfterMs, now) };
  }

  const write = async ({ url }: DescriptionSource, { text = "", ...metadata }: Entry): Promise<void> => {
    if (text.length <= maxBytes) await cache?.write(url, `${JSON.stringify({ url, ...metadata })}\n${text}`);
  };

  async function fetch(source: DescriptionSource, entry: Entry, limits: FetchLimits = {}) {
    const known = documentOf(entry);
    const response = await source.fetch({ ...limits, etag: known && entry.etag });
    const checkedAt = source.now();
    if (response !== "unchanged") {
      await write(source, { text: response.text, etag: response.etag, checkedAt });
      return response.description;
    }
    if (known === undefined) throw new Error("unexpected response 304 to a request without an ETag");
    await write(source, { ...entry, checkedAt, failedAt: undefined });
    return known;
  }

  /** Fetches with limits. Falls back to the cached copy, except after a 4xx response. */
  async function tryFetch(
    source: DescriptionSource,
    entry: Entry,
    limits: FetchLimits = lookupLimits,
  ): Promise<FetchResult> {
    try {
      return { description: await fetch(source, entry, { ...limits, maxBytes }) };
    } catch (error) {
      source.signal?.throwIfAborted();
      const hasNone = error instanceof ServiceError && error.status >= 400 && error.status < 500;
      const remaining = hasNone ? {} : entry;
      await write(source, { ...remaining, failedAt: source.now() });
      return { description: documentOf(remaining), error };
    }
  }

  let lookup: Promise<FetchResult> | undefined;
  let fetched: Promise<FetchResult> | undefined;
  let loaded: Promise<Description> | undefined;
  let refreshed: Promise<Description> | undefined;

  async function lookUp(): Promise<FetchResult> {
    const { source, entry, isFresh, hasFailed } = await openCached();
    const description = isFresh || hasFailed ? documentOf(entry) : undefined;
    if (description || hasFailed) return { description };
    fetched = tryFetch(source, entry);
    return fetched;
  }

  async function load(refresh: boolean, timeout?: number): Promise<Description> {
    const { source, entry, isFresh } = await openCached();
    const fresh = isFresh && !refresh ? documentOf(entry) : undefined;
    if (fresh || timeout === undefined) return fresh ?? fetch(source, entry);
    // A caller that must end a rental tries again after a failure, so the result of an earlier failed fetch is dropped.
    const earlier = fetched;
    if (earlier !== undefined && (await earlier).description === undefined && fetched === earlier) {
      fetched = undefined;
    }
    fetched ??= tryFetch(source, entry, { timeout, retries: 1 });
    const { description, error } = await fetched;
    if (description === undefined) throw error;
    return description;
  }

  return {
    get: async () => {
      lookup ??= fetched ?? lookUp();
      return (await lookup).description;
    },
    refresh: async () => {
      await lookup;
      fetched ??= openCached().then(({ source, entry }) => tryFetch(source, entry));
      lookup = fetched;
      return (await fetched).description;
    },
    load: ({ refresh = false, timeout } = {}) => {
      if (timeout !== undefined) return load(false, timeout);
      if (refresh) {
        refreshed ??= load(true);
        loaded = refreshed;
      }
      loaded ??= load(false);
      loaded.catch(() => {
        loaded = undefined;
        refreshed = undefined;
      });
      return loaded;
    },
    peek: async () => {
      const { entry, isFresh, hasFailed } = await openCached();
      return { description: documentOf(entry), isCurrent: isFresh || hasFailed };
    },
  };
}

/** An entry is stored as a line of JSON metadata, followed by the document. */
async function readEntry(cache: DescriptionCache, url: string): Promise<Entry> {
  const cached = (await cache.read(url)) ?? "";
  const end = cached.indexOf("\n");
  const metadata = parseJson(cached.slice(0, Math.max(end, 0)));
  if (!isRecord(metadata) || metadata.url !== url) return {};
  const text = cached.slice(end + 1);
  return {
    etag: typeof metadata.etag === "string" ? metadata.etag : undefined,
    checkedAt: typeof metadata.checkedAt === "number" ? metadata.checkedAt : undefined,
    failedAt: typeof metadata.failedAt === "number" ? metadata.failedAt : undefined,
    text: text === "" ? undefined : text,
  };
}
