import { isRecord, parseJson } from "../core/json.ts";
import { ServiceError } from "../core/service-errors.ts";
import { type Description, readDescription } from "./document.ts";

/** Looks up the description for calls that also work without it. Rejects only when the user interrupts. */
export interface DescriptionLookup {
  /** The cached description, or one fetched within 2 s. Undefined if fetching fails or failed in the last 5 minutes. */
  readonly get: () => Promise<Description | undefined>;
  /** Fetches an outdated description again, unless it was just fetched. */
  readonly refresh: () => Promise<Description | undefined>;
}

/** The description of one service; each method fetches it at most once. */
export interface DescriptionStore extends DescriptionLookup {
  /**
   * Rejects when the description cannot be fetched. `refresh` ignores the cache. With a `timeout` (milliseconds) the
   * fetch is retried only once, and falls back to an outdated copy.
   */
  readonly load: (options?: LoadOptions) => Promise<Description>;
  /** The cached description, however old. `isCurrent` says whether `get` would use it without a request. */
  readonly peek: () => Promise<{
    readonly description: Description | undefined;
    readonly isCurrent: boolean;
  }>;
}

export interface LoadOptions {
  readonly refresh?: boolean;
  readonly timeout?: number | undefined;
}

/** Where the description is fetched from. */
export interface DescriptionSource {
  /** The key in the cache. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal | undefined;
  readonly fetch: FetchDescription;
}

/** Fetches the description; resolves with "unchanged" if the given ETag is current. */
export type FetchDescription = (limits: FetchLimits) => Promise<FetchedDescription | "unchanged">;

/** `timeout` (milliseconds per attempt) and `retries` can only lower the limits of the source. */
export interface FetchLimits {
  readonly etag?: string | undefined;
  readonly maxBytes?: number | undefined;
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
}

export interface FetchedDescription {
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
  /** When the service last sent or confirmed it. */
  readonly checkedAt?: number | undefined;
  /** When fetching it last failed. */
  readonly failedAt?: number | undefined;
  /** The unparsed document. */
  readonly text?: string | undefined;
}

const maxAgeMs = 24 * 3_600_000;
/** How long `get` waits after a failure before it tries again. */
export const retryAfterMs = 5 * 60_000;
const maxBytes = 16 * 1024 * 1024;
const lookupLimits = { timeout: 2_000, retries: 0 };

const isWithin = (time: number | undefined, span: number, now: number): boolean =>
  time !== undefined && time <= now && now - time < span;

const isFresh = ({ checkedAt, text }: Entry, now: number): boolean =>
  text !== undefined && isWithin(checkedAt, maxAgeMs, now);

const failedRecently = ({ failedAt }: Entry, now: number): boolean => isWithin(failedAt, retryAfterMs, now);

const documentOf = ({ text }: Entry): Description | undefined =>
  text === undefined ? undefined : readDescription(text);

/** The result of a fetch whose failure is not fatal. */
interface Attempted {
  readonly description: Description | undefined;
  readonly error?: unknown;
}

/** Without a cache, every store fetches the description itself. */
export function createDescriptionStore(
  open: () => Promise<DescriptionSource>,
  cache: DescriptionCache | undefined,
): DescriptionStore {
  const read = async ({ url }: DescriptionSource): Promise<Entry> => (cache ? readEntry(cache, url) : {});
  const write = async ({ url }: DescriptionSource, entry: Entry): Promise<void> => {
    if (cache && (entry.text?.length ?? 0) <= maxBytes) await writeEntry(cache, url, entry);
  };

  async function fetch(source: DescriptionSource, entry: Entry, limits: FetchLimits = {}) {
    const cached = documentOf(entry);
    const fetched = await source.fetch({ ...limits, etag: cached && entry.etag });
    const checkedAt = source.now();
    if (fetched !== "unchanged") {
      await write(source, { text: fetched.text, etag: fetched.etag, checkedAt });
      return fetched.description;
    }
    if (cached === undefined) throw new Error("unexpected response 304 to a request without an ETag");
    await write(source, { ...entry, checkedAt, failedAt: undefined });
    return cached;
  }

  /** Fetches with limits. Falls back to the cached copy unless the service says that it has no description. */
  async function tryFetch(
    source: DescriptionSource,
    entry: Entry,
    limits: FetchLimits = lookupLimits,
  ): Promise<Attempted> {
    try {
      return { description: await fetch(source, entry, { ...limits, maxBytes }) };
    } catch (error) {
      source.signal?.throwIfAborted();
      const refused = error instanceof ServiceError && error.status < 500;
      const remaining = refused ? {} : entry;
      await write(source, { ...remaining, failedAt: source.now() });
      return { description: documentOf(remaining), error };
    }
  }

  let looked: Promise<Attempted> | undefined;
  let tried: Promise<Attempted> | undefined;
  let loaded: Promise<Description> | undefined;

  async function look(): Promise<Attempted> {
    const source = await open();
    const entry = await read(source);
    const now = source.now();
    const failed = failedRecently(entry, now);
    const description = failed || isFresh(entry, now) ? documentOf(entry) : undefined;
    if (description || failed) return { description };
    tried = tryFetch(source, entry);
    return tried;
  }

  async function refetch(): Promise<Attempted> {
    const source = await open();
    return tryFetch(source, await read(source));
  }

  async function loadWithin(timeout: number): Promise<Description> {
    const source = await open();
    const entry = await read(source);
    const fresh = isFresh(entry, source.now()) ? documentOf(entry) : undefined;
    if (fresh) return fresh;
    tried ??= tryFetch(source, entry, { timeout, retries: 1 });
    const { description, error } = await tried;
    if (description === undefined) throw error;
    return description;
  }

  async function load(refresh: boolean): Promise<Description> {
    const source = await open();
    const entry = await read(source);
    const fresh = !refresh && isFresh(entry, source.now()) ? documentOf(entry) : undefined;
    return fresh ?? fetch(source, entry);
  }

  return {
    get: async () => {
      looked ??= tried ?? look();
      return (await looked).description;
    },
    refresh: async () => {
      await looked;
      tried ??= refetch();
      looked = tried;
      return (await tried).description;
    },
    load: ({ refresh = false, timeout } = {}) => {
      if (timeout !== undefined) return loadWithin(timeout);
      loaded ??= load(refresh);
      return loaded;
    },
    peek: async () => {
      const source = await open();
      const entry = await read(source);
      const now = source.now();
      return {
        description: documentOf(entry),
        isCurrent: isFresh(entry, now) || failedRecently(entry, now),
      };
    },
  };
}

/** An entry is stored as a line of JSON metadata, followed by the document. */
async function readEntry(cache: DescriptionCache, url: string): Promise<Entry> {
  const cached = (await cache.read(url)) ?? "";
  const end = cached.indexOf("\n");
  const about = parseJson(cached.slice(0, Math.max(end, 0)));
  if (!isRecord(about) || about.url !== url) return {};
  const text = cached.slice(end + 1);
  return {
    etag: typeof about.etag === "string" ? about.etag : undefined,
    checkedAt: typeof about.checkedAt === "number" ? about.checkedAt : undefined,
    failedAt: typeof about.failedAt === "number" ? about.failedAt : undefined,
    text: text === "" ? undefined : text,
  };
}

const writeEntry = (cache: DescriptionCache, url: string, { text = "", ...about }: Entry) =>
  cache.write(url, `${JSON.stringify({ url, ...about })}\n${text}`);
