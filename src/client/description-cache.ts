import { type Description, isObject, readDescription } from "./document.ts";

/** Where descriptions are kept, a text for each address of one. Neither method throws: what cannot be kept is asked anew. */
export interface DescriptionCache {
  readonly read: (url: string) => Promise<string | undefined>;
  readonly write: (url: string, text: string) => Promise<void>;
}

/** What is known of a service's description. Moments are milliseconds since 1970. */
export interface Known {
  readonly etag?: string | undefined;
  /** When the service last said that it holds. */
  readonly checkedAt?: number | undefined;
  /** When it could not be had. */
  readonly failedAt?: number | undefined;
  /** The document as it came. */
  readonly text?: string | undefined;
}

const dayMs = 24 * 3_600_000;
/** For so long a description that could not be had is done without. */
export const patienceMs = 5 * 60_000;

const within = (moment: number | undefined, span: number, now: number): boolean =>
  moment !== undefined && moment <= now && now - moment < span;

export const isFresh = ({ checkedAt, text }: Known, now: number): boolean =>
  text !== undefined && within(checkedAt, dayMs, now);

export const failedLately = ({ failedAt }: Known, now: number): boolean => within(failedAt, patienceMs, now);

/** The document that is kept, fresh or not; nothing when there is none that can be read. */
export const documentOf = ({ text }: Known): Description | undefined =>
  text === undefined ? undefined : readDescription(text);

/** What is kept for an address: a line of JSON about the document, then the document. */
export async function readKnown(cache: DescriptionCache, url: string): Promise<Known> {
  const kept = (await cache.read(url)) ?? "";
  const end = kept.indexOf("\n");
  const about = parsed(kept.slice(0, Math.max(end, 0)));
  if (!isObject(about) || about.url !== url) return {};
  const text = kept.slice(end + 1);
  return {
    etag: typeof about.etag === "string" ? about.etag : undefined,
    checkedAt: typeof about.checkedAt === "number" ? about.checkedAt : undefined,
    failedAt: typeof about.failedAt === "number" ? about.failedAt : undefined,
    text: text === "" ? undefined : text,
  };
}

export const writeKnown = (cache: DescriptionCache, url: string, { text = "", ...about }: Known) =>
  cache.write(url, `${JSON.stringify({ url, ...about })}\n${text}`);

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
