import { asList, asRecord, asText } from "../../core/json.ts";
import type { ServedId } from "../assumed/index.ts";

interface Media {
  readonly kind: "picture" | "speech";
  /** The prompt of a picture, or the text that was spoken. */
  readonly text: string;
  /** The settings, such as `seed 7`. */
  readonly details: readonly string[];
}

export interface NumberedMedia extends Media {
  /** Counts up from 1. */
  readonly id: number;
}

/** How much is kept: at most `each` pictures, `each` recordings, and `characters` characters of base64 in total. */
export const keptMedia = { each: 6, characters: 48 * 1024 * 1024 };

/** Keeps in memory the last pictures and recordings that a served sandbox generated. */
export class RecentMedia {
  #last = 0;
  #items: readonly (NumberedMedia & { readonly base64: string })[] = [];

  /** Keeps what an operation generated, if it generates pictures or speech. */
  keep(operation: ServedId, input: unknown, output: unknown): void {
    const request = asRecord(input);
    const result = asRecord(output);
    if (operation === "generateImage") {
      for (const { image, random_seed: seed } of asList(result.images).map(asRecord)) {
        const { prompt, width, height } = request;
        const details = [`${width}×${height}`, ...(seed === undefined ? [] : [`seed ${seed}`])];
        this.#add({ kind: "picture", text: asText(prompt), details, base64: asText(image) });
      }
    }
    if (operation === "generateAudio") {
      const { text, speed } = request;
      this.#add({
        kind: "speech",
        text: asText(text),
        details: speed === undefined ? [] : [`speed ${speed}`],
        base64: asText(result.audio),
      });
    }
  }

  #add(media: Media & { readonly base64: string }): void {
    this.#last += 1;
    const all = [{ ...media, id: this.#last }, ...this.#items];
    const counts = { picture: 0, speech: 0 };
    let characters = 0;
    this.#items = all.filter(({ kind, base64 }) => {
      counts[kind] += 1;
      characters += base64.length;
      return counts[kind] <= keptMedia.each && characters <= keptMedia.characters;
    });
  }

  /** Newest first. */
  list(): readonly NumberedMedia[] {
    return this.#items;
  }

  async find(
    id: number,
  ): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string } | undefined> {
    const found = this.#items.find((one) => one.id === id);
    if (found === undefined) return undefined;
    const bytes = Uint8Array.from(Buffer.from(found.base64, "base64"));
    return { bytes, type: await mediaType(bytes) };
  }

  clear(): void {
    this.#items = [];
  }
}

/**
 * The media type of a generated file. An engine may return any bytes, so everything except pictures and WAV files gets
 * a type that browsers neither run nor show as a page.
 */
async function mediaType(bytes: Uint8Array): Promise<string> {
  const { pictureKind } = await import("../../core/pictures/decode.ts");
  const kind = pictureKind(bytes);
  if (kind !== undefined) return `image/${kind.toLowerCase()}`;
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  return head.startsWith("RIFF") && head.endsWith("WAVE") ? "audio/wav" : "application/octet-stream";
}
