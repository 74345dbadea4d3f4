import { createHash } from "node:crypto";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { type Divert, type Diverted, restored, restoredWithRepeated } from "../../client/divert.ts";
import { ResultLost, ResultTruncated, reasonOf, type StoredElsewhere } from "../../core/errors.ts";
import { makeFolderSync } from "../../core/files.ts";
import { asRecord } from "../../core/json.ts";
import { type Redactor, redactedBytes } from "../../core/redact.ts";
import { copyTexts, exactText, stringifyExactly } from "../../core/values/exact-numbers.ts";
import { ArrivingMedia, maxArriving, picturesIn, seedIn, soundsIn } from "../../media/arriving.ts";
import { isEmpty, undecodable } from "../../media/base64.ts";
import { nameForId } from "../../media/filename.ts";
import { saveMedia } from "../../media/output-target.ts";
import { storedSettings } from "../../media/settings/parameters.ts";
import type { BatchRequest } from "../input/lines.ts";
import type { NotSaved } from "./run.ts";

export interface MediaOptions {
  /** The path of the output. Its lines hold the paths of the files. */
  readonly out: string;
  /** The folder for pictures and recordings. It is created if it does not exist. */
  readonly filesFolder: string;
  /** Folders to try in order if a file cannot be saved in `filesFolder`. */
  readonly fallbackFolders: readonly string[];
  /** Whether to write the settings into the pictures. */
  readonly metadata: boolean;
  readonly version: string;
  /** The service's time, in milliseconds since the epoch. */
  readonly serviceNow: () => number;
  readonly say: (line: string) => void;
  readonly redactor: Pick<Redactor, "redact">;
}

/** Where the base64 text is in the response. */
const paths = { image: "images.*.image", tts: "audio" } as const;

/** The pictures or the sound of a line. They are decoded and written to files while their base64 text arrives. */
export class MediaOfLine {
  readonly #line: BatchRequest;
  readonly #options: MediaOptions;
  readonly #arriving: ArrivingMedia[] = [];
  readonly #isImage: boolean;
  /** Takes the base64 text out of the response. */
  readonly divert: Divert;

  constructor(line: BatchRequest, options: MediaOptions) {
    this.#line = line;
    this.#options = options;
    this.#isImage = line.endpoint === "image";
    this.divert = {
      path: this.#isImage ? paths.image : paths.tts,
      max: maxArriving,
      open: () => this.#open(),
    };
  }

  /** Removes the temporary files of results that were not saved. */
  discard(): void {
    for (const media of this.#arriving) media.discard();
  }

  /** A response as it was received, with the base64 text put back and keys masked. */
  received(bytes: Uint8Array): Uint8Array {
    return redactedBytes(restored(bytes, this.#arriving), this.#options.redactor.redact);
  }

  /**
   * A parsed response as one line of JSON, with all base64 text put back, including the text under repeated keys. API
   * keys are masked.
   */
  receivedLine(json: string): string {
    const bytes = restoredWithRepeated(Buffer.from(json), this.#arriving, this.#options.redactor);
    return Buffer.from(bytes).toString().trimEnd();
  }

  /**
   * Saves the files of a response. Returns the body as JSON, with paths and hashes in place of the base64 text.
   * `problem` is set if someone has to look at the response. If only a part of the response cannot be decoded, the body
   * leaves that part out, and `received` is the whole response. `notSaved` is set if a file is not in its folder.
   * @param bytes the response, from which `value` was parsed
   */
  async save(
    value: unknown,
    bytes: Uint8Array,
  ): Promise<{
    readonly body: string;
    readonly problem: string | undefined;
    readonly received?: Uint8Array | undefined;
    readonly notSaved?: NotSaved;
  }> {
    const arriving = this.#arriving;
    const listed = this.#isImage
      ? picturesIn(value, arriving)
      : soundsIn(value, arriving).map((media, at) => ({ media, entry: at === 0 ? asRecord(value) : {} }));
    const problems = listed.flatMap(({ media }) => (typeof media === "string" ? media : []));
    if (problems.length === listed.length) {
      return { body: this.receivedLine(stringifyExactly(value) ?? "null"), problem: problems[0] };
    }
    // If an earlier value of a repeated key cannot be decoded, it is not in `listed`, so its problem is not in
    // `problems` yet.
    const undecoded = arriving.find(({ problem }) => problem !== undefined && problem !== isEmpty)?.problem;
    if (problems.length === 0 && undecoded !== undefined) problems.push(undecodable(undecoded));
    // The response is restored here, before settings are added to the pictures.
    const received = problems.length > 0 ? this.received(bytes) : undefined;
    const files: Readonly<Record<string, unknown>>[] = [];
    let notSaved: NotSaved;
    for (const [index, { media, entry }] of listed.entries()) {
      if (typeof media === "string") continue;
      try {
        const { file, problem } = await this.#saveOne(media, {
          entry,
          index: index + 1,
          count: listed.length,
        });
        if (problem instanceof ResultTruncated) problems.push(problem.message);
        else notSaved ??= problem;
        files.push(file);
      } catch (error) {
        if (error instanceof ResultLost) notSaved ??= error;
        problems.push(reasonOf(error));
      }
    }
    const [problem] = problems;
    const [first, ...others] = files;
    const body = this.#isImage
      ? copyTexts(asRecord(value), { ...asRecord(value), images: files })
      : copyTexts(first ?? {}, { ...first, ...(others.length > 0 && { others }) });
    return { body: stringifyExactly(body) ?? "null", problem, received, notSaved };
  }

  async #saveOne(
    media: ArrivingMedia,
    {
      entry,
      index,
      count,
    }: {
      readonly entry: Readonly<Record<string, unknown>>;
      readonly index: number;
      readonly count: number;
    },
  ): Promise<{
    readonly file: Readonly<Record<string, unknown>>;
    readonly problem: StoredElsewhere | ResultTruncated | undefined;
  }> {
    const { id, body } = this.#line;
    const { metadata, version, serviceNow, say } = this.#options;
    const { image: _, audio: __, ...rest } = entry;
    const seed = seedIn(entry) ?? body.seed;
    const names = { date: new Date(serviceNow()), prompt: id, fallback: "file", index };
    const request = { ...body, ...(seed !== undefined && { seed }) };
    const decoded = media.finish(
      { kind: this.#isImage ? "image" : "audio", count, names },
      this.#isImage && metadata ? { request: await storedSettings(request), version } : undefined,
    );
    const { file, problem } = await saveMedia(decoded, {
      ...this.#target,
      force: false,
      say,
      written: new Map(),
    });
    if (problem && !(problem instanceof ResultTruncated)) say(`${id}: ${problem.message}`);
    const saved = { ...rest, path: this.#shownPath(file.path), bytes: file.bytes, sha256: file.sha256 };
    return {
      // If the response has a field `bytes` of its own, the exact text of that field must not replace the size.
      file: exactText(entry, "bytes") === undefined ? copyTexts(entry, saved) : saved,
      problem,
    };
  }

  #open(): Diverted {
    this.#makeFolder();
    const media = new ArrivingMedia(this.#target, createHash);
    this.#arriving.push(media);
    return media;
  }

  /** Creates the folder for the files when the first one arrives, so that a refused batch leaves no empty folder. */
  #makeFolder(): void {
    try {
      makeFolderSync(this.#options.filesFolder);
    } catch {
      // Saving the file fails, too, and then uses a fallback folder.
    }
  }

  /** Where to save a file. Its name comes from the ID of the line. */
  get #target() {
    const { filesFolder, fallbackFolders } = this.#options;
    const { id } = this.#line;
    const name = nameForId(id, shortHash);
    const to = { kind: "file", path: `${filesFolder}/${name}`, isGenerated: true } as const;
    return { to, fallbackFolders };
  }

  /**
   * The path for the output. If the file is below the folder of the output, the path is relative to that folder, with
   * slashes. Otherwise, the path is unchanged.
   */
  #shownPath(path: string): string {
    const near = relative(dirname(this.#options.out), path);
    return near.startsWith("..") || isAbsolute(near) ? path : near.split(sep).join("/");
  }
}

const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
