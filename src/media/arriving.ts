import type { createHash, Hash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { setFlagsFromString } from "node:v8";
import { EmptyResult, ResultLost } from "../core/errors.ts";
import { asList, asRecord, asText, shownAt } from "../core/json.ts";
import { failureIn } from "../core/responses/success.ts";
import { saveMemory } from "../core/runtime/memory-flags.ts";
import { uniqueHex } from "../core/text.ts";
import { Base64Decoder, decoderSlack, invalidCharacters, isEmpty, undecodable } from "./base64.ts";
import { folderOf } from "./destination.ts";
import { type Decoded, noMedia, type OutputTarget } from "./output-target.ts";
import { exifPosition, exifSegment } from "./settings/exif.ts";
import type { StoredSettings } from "./settings/parameters.ts";
import { pngText } from "./settings/png-text.ts";
import { sniff } from "./sniff.ts";
import { TemporaryWriter } from "./temporary.ts";
import { isTruncated, PngEnd } from "./truncated.ts";

/** How many bytes are written to the file at once. */
const blockSize = 160 * 1024;
/** The format is detected from this many bytes at the start. */
const headSize = 256;

/** Blocks to reuse, because buffers of this size are garbage-collected late. */
const freeBlocks: Buffer[] = [];
const noBlock = Buffer.alloc(0);

// Called before more modules are loaded: loading them would enlarge V8's young generation, which never shrinks.
saveMemory(setFlagsFromString);

const placeholderStart = `arriving${"_".repeat(32)}`;
const randomLength = 32;
const placeholderLength = placeholderStart.length + randomLength;

/** A picture or a sound that is decoded into a temporary file while its base64 text arrives. */
export class ArrivingMedia {
  /** Replaces the base64 text in the response. */
  readonly placeholder = `${placeholderStart}${uniqueHex(randomLength)}`;
  readonly #decoder = new Base64Decoder();
  readonly #file: TemporaryWriter;
  #block = freeBlocks.pop() ?? Buffer.allocUnsafeSlow(blockSize);
  #used = 0;
  #isDiscarded = false;
  #head: Buffer = Buffer.alloc(0);
  readonly #createHash: typeof createHash | undefined;
  #hash: Hash | undefined;
  #unhashed: Buffer = Buffer.alloc(0);
  readonly #pngEnd = new PngEnd();
  /** The hash of everything before the end chunk of a PNG. */
  #hashBeforeEnd: Hash | undefined;
  /** Why the text is not valid base64; undefined if it is. */
  problem: string | undefined = "it is not complete";

  /**
   * Pass `createHash` of node:crypto as `hashWith` to get the hash of the file. Omit it if no hash is needed: hashing
   * is about a fifth of the work of saving a result.
   */
  constructor(target: Pick<OutputTarget, "to" | "fallbackFolders">, hashWith?: typeof createHash) {
    this.#file = new TemporaryWriter(foldersFor(target));
    this.#createHash = hashWith;
    this.#hash = hashWith?.("sha256");
  }

  /** How many bytes were decoded so far. */
  get size(): number {
    return this.#file.size + this.#used;
  }

  /**
   * Decodes a part of the text: Latin-1, at most 128 KiB. If the part is not base64, or after `discard`, decodes
   * nothing and returns false.
   */
  write(part: string): boolean {
    // After an interruption, the rest of a response may still arrive. By then, another result may use the block.
    if (this.#isDiscarded) return false;
    this.#makeRoom(part.length);
    const written = this.#decoder.decode(part, this.#block, this.#used);
    if (written === undefined) this.problem = invalidCharacters;
    this.#used += written ?? 0;
    return written !== undefined;
  }

  end(): void {
    if (this.#isDiscarded) return;
    this.#makeRoom(0);
    const end = this.#decoder.end(this.#block, this.#used);
    if (typeof end === "number") this.#used += end;
    this.problem = typeof end === "string" ? end : undefined;
    this.#flush();
    this.#releaseBlock();
  }

  /**
   * Starts to flush the file to the disk while other results arrive. The final flush, before the file gets its name,
   * then takes less time.
   */
  startFlush(): void {
    this.#file.startFlush();
  }

  /** Waits for the flush that `startFlush` started. Returns its error, if any; the file may then be incomplete. */
  flushFailure(): Promise<Error | undefined> {
    return this.#file.flushFailure();
  }

  /** The text so far; once decoding has begun, without white space. */
  text(): string {
    const decoded = [this.#file.read(0, this.#file.size), this.#block.subarray(0, this.#used)];
    return this.#decoder.text(Buffer.concat(decoded));
  }

  /**
   * Returns the decoded result. If the file is a complete PNG or JPEG, first tries to write `settings` into it. Call
   * this once, after `end`. Afterwards, `text` is not available. Throws `EmptyResult` if the text is empty or not
   * base64, and `ResultLost` if the file could not be written to any folder.
   */
  finish(
    media: Pick<Decoded, "kind" | "count" | "names">,
    settings?: { readonly request: StoredSettings; readonly version: string },
  ): Decoded {
    if (this.problem !== undefined) throw new EmptyResult(undecodable(this.problem));
    const file = this.#file;
    if (file.failure) throw new ResultLost(file.failure.message);
    const type = sniff(this.#head);
    const source = {
      length: file.size,
      read: (at: number, length: number) => file.read(at, length),
      pngEnd: this.#pngEnd.offset,
    };
    const truncated = isTruncated(source, type?.ext);
    this.#hash?.update(this.#unhashed);
    if (settings && !truncated) this.#add(type?.ext, settings);
    file.close();
    const { path = "", size: bytes } = file;
    return {
      ...media,
      type,
      isTruncated: truncated,
      file: { path, bytes, sha256: this.#hash?.digest("hex") },
    };
  }

  /** Removes the temporary file, unless it was renamed. Afterwards, `write` and `end` have no effect. */
  discard(): void {
    if (this.#isDiscarded) return;
    this.#isDiscarded = true;
    this.#file.discard();
    this.#releaseBlock();
  }

  #releaseBlock(): void {
    if (this.#block.length > 0) freeBlocks.push(this.#block);
    this.#block = noBlock;
  }

  #makeRoom(characters: number): void {
    if (this.#used + characters + decoderSlack > this.#block.length) this.#flush();
  }

  #flush(): void {
    const bytes = this.#block.subarray(0, this.#used);
    if (this.#head.length < headSize) {
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, headSize - this.#head.length)]);
    }
    this.#pngEnd.add(bytes);
    if (this.#hash) this.#updateHash(this.#hash, bytes);
    this.#file.append(bytes);
    this.#used = 0;
  }

  /** Updates the hash. At the end chunk of a PNG, keeps a copy of the hash of everything before that chunk. */
  #updateHash(hash: Hash, part: Buffer): void {
    const bytes = this.#unhashed.length === 0 ? part : Buffer.concat([this.#unhashed, part]);
    const { offset, undecided } = this.#pngEnd;
    let start = 0;
    if (offset !== undefined && this.#hashBeforeEnd === undefined) {
      start = offset - (this.#file.size - this.#unhashed.length);
      hash.update(bytes.subarray(0, start));
      this.#hashBeforeEnd = hash.copy();
    }
    const end = bytes.length - undecided;
    hash.update(bytes.subarray(start, end));
    this.#unhashed = Buffer.from(bytes.subarray(end));
  }

  #add(ext: string | undefined, { request, version }: { request: StoredSettings; version: string }): void {
    const file = this.#file;
    const { offset: end } = this.#pngEnd;
    if (ext === "png" && end !== undefined) {
      const text = orUndefined(() => pngText(request, version));
      if (text === undefined) return;
      const rest = Buffer.concat([text, file.read(end, file.size - end)]);
      if (file.replaceEnd(end, rest) && this.#hash) this.#hash = this.#hashBeforeEnd?.update(rest);
    }
    if (ext === "jpg") {
      const at = exifPosition((at, size) => file.read(at, size));
      const segment = orUndefined(() => exifSegment(request, version));
      const hash = this.#createHash?.("sha256");
      const isAdded =
        at !== undefined && segment && file.insert(at, segment, (bytes) => void hash?.update(bytes));
      if (isAdded) this.#hash = hash;
    }
  }
}

/** Returns undefined if settings cannot be written. The picture was paid for, so it is saved without them. */
function orUndefined(settings: () => Buffer | undefined): Buffer | undefined {
  try {
    return settings();
  } catch {
    return undefined;
  }
}

/**
 * The maximum number of results that are saved from one response. A service sends a few. A malicious response may list
 * millions, and each would become a file or a failure.
 */
export const maxResults = 100;

/**
 * How many results of one response are decoded into files while they arrive: one more than are saved, which is enough
 * to see that there are too many. Each of them has an open file. Further results stay in the response as text.
 */
export const maxArriving = maxResults + 1;

/** The message for a response with more than `maxResults` results. */
const tooMany = (kind: Decoded["kind"], count: number): string =>
  `the response contains ${count} ${plurals[kind]}, but gpuctl saves at most ${maxResults} from one response`;

const plurals = { image: "images", audio: "audio files" } as const;

/** The start of a text: its placeholder, if it has one. All placeholders have the same length. */
const placeholderIn = (text: string): string => text.slice(0, placeholderLength);

const byPlaceholder = (arriving: readonly ArrivingMedia[]): ReadonlyMap<string, ArrivingMedia> =>
  new Map(arriving.map((media) => [media.placeholder, media]));

/**
 * Finds the result that belongs to a text of the response. If the result is missing or cannot be decoded, returns a
 * sentence that says so.
 */
function arrivedMedia(
  text: string,
  arriving: ReadonlyMap<string, ArrivingMedia>,
  kind: Decoded["kind"],
): ArrivingMedia | string {
  const media = arriving.get(placeholderIn(text));
  if (media === undefined) return noMedia(kind);
  // Characters that are not base64 stay in the response, after the placeholder.
  const problem = text === media.placeholder ? media.problem : invalidCharacters;
  if (problem === undefined) return media;
  return problem === isEmpty ? noMedia(kind) : undecodable(problem);
}

/**
 * The results that were decoded, but belong to no text of the response. The response may contain a key twice: only the
 * last value counts, but all of the results were paid for.
 */
function unlistedMedia(
  texts: readonly string[],
  arriving: readonly ArrivingMedia[],
): readonly ArrivingMedia[] {
  const listed = new Set(texts.map(placeholderIn));
  return arriving.filter(({ placeholder, problem }) => problem === undefined && !listed.has(placeholder));
}

/** A picture of a response. If the picture is missing or cannot be decoded, `media` is a sentence that says so. */
export interface ListedPicture {
  readonly media: ArrivingMedia | string;
  /** All fields of the picture in the response; empty if the response does not list the picture. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** The seed that a service reports for a picture. A number that JavaScript would change is a string. */
export const seedIn = (entry: ListedPicture["entry"]): number | string | undefined =>
  ["random_seed", "seed"]
    .map((name) => shownAt(entry, [name]))
    .find((one) => typeof one === "number" || typeof one === "string");

/**
 * The pictures of a response. The list is never empty: if there is no picture, the `media` of its only element is the
 * error that the response reports instead, or a sentence that says so. If there are more than `maxResults` pictures,
 * the list also has only one element, and its `media` is a sentence that says so.
 */
export function picturesIn(response: unknown, arriving: readonly ArrivingMedia[]): readonly ListedPicture[] {
  const entries = asList(asRecord(response).images).map(asRecord);
  const texts = entries.map(({ image }) => asText(image));
  const unlisted = unlistedMedia(texts, arriving).values();
  const arrived = byPlaceholder(arriving);
  const pictures = entries.map((entry, index) => {
    const media = arrivedMedia(texts[index] ?? "", arrived, "image");
    return { media: media === noMedia("image") ? (unlisted.next().value ?? media) : media, entry };
  });
  const all = [...pictures, ...Array.from(unlisted, (media) => ({ media, entry: {} }))];
  if (all.length > maxResults) return [{ media: tooMany("image", all.length), entry: {} }];
  return all.length > 0 ? all : [{ media: failureIn(response) ?? noMedia("image"), entry: {} }];
}

/**
 * The sound of a response, and further sounds if the response contains the key `audio` more than once. If there is no
 * sound, or the first one cannot be decoded, the first element is a sentence that says so, or the error that the
 * response reports instead. If there are more than `maxResults` sounds, the only element is a sentence that says so.
 */
export function soundsIn(
  response: unknown,
  arriving: readonly ArrivingMedia[],
): readonly [ArrivingMedia | string, ...ArrivingMedia[]] {
  const text = asText(asRecord(response).audio);
  const listed = arrivedMedia(text, byPlaceholder(arriving), "audio");
  const unlisted = unlistedMedia([text], arriving);
  const [first, ...others] = unlisted;
  const isMissing = listed === noMedia("audio");
  if (first === undefined) return [isMissing ? (failureIn(response) ?? listed) : listed];
  const count = unlisted.length + (isMissing ? 0 : 1);
  if (count > maxResults) return [tooMany("audio", count)];
  return isMissing ? [first, ...others] : [listed, first, ...others];
}

/**
 * The folders to write to, in the order in which they are tried. The first one is the folder of the result or, if it
 * does not exist, its closest parent that does: from there, the file usually only has to be renamed. For stdout, only
 * the fallback folders are used, in reverse order.
 */
function foldersFor({ to, fallbackFolders }: Pick<OutputTarget, "to" | "fallbackFolders">): string[] {
  if (to.kind === "stdout") return [...fallbackFolders].reverse();
  let folder = folderOf(to);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return [folder, ...fallbackFolders];
}
