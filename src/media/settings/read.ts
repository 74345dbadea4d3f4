import { isRecord, parseJson } from "../../core/json.ts";
import { sniff } from "../sniff.ts";
import type { Read } from "../truncated.ts";
import { exifOf, readExif } from "./exif.ts";
import { parseParameters, type Settings } from "./parameters.ts";
import { pngKeywords, readPngTexts } from "./png-text.ts";

/**
 * The settings in a picture. If there are none, `instead` says what the picture has instead, as the end of a sentence
 * that starts with "it has".
 */
export type FoundSettings =
  | { readonly request: Settings; readonly source: "gpuctl" | "parameters" }
  | { readonly instead: string };

/** The format is detected from this many bytes at the start. */
const headSize = 256;

/**
 * Reads the settings of a picture: the request that gpuctl stored, otherwise the text that AUTOMATIC1111 and other
 * tools store. The pixels are not read.
 */
export function readSettings(read: Read): FoundSettings {
  const type = sniff(read(0, headSize));
  if (type?.ext === "png") {
    const texts = readPngTexts(read);
    const keywords = [...texts.keys()];
    return (
      settingsIn(texts.get(pngKeywords.request), texts.get(pngKeywords.parameters)) ?? {
        instead: keywords.length === 0 ? "no texts" : `only the texts ${firstOf(keywords)}`,
      }
    );
  }
  if (type?.ext === "jpg" || type?.ext === "webp") {
    const exif = exifOf(read, type.ext);
    const { description, comment } = exif ? readExif(exif) : {};
    const other = exif && "only EXIF without settings";
    return settingsIn(description, comment) ?? { instead: other ?? "no EXIF" };
  }
  return { instead: type ? `a format without settings (${type.mime})` : "an unknown format" };
}

/** The maximum number of texts that an error lists. */
const maxNamed = 10;

const firstOf = (keywords: readonly string[]): string =>
  `${keywords.slice(0, maxNamed).join(", ")}${keywords.length > maxNamed ? " and others" : ""}`;

function settingsIn(json: string | undefined, parameters: string | undefined): FoundSettings | undefined {
  const request = parseJson(json ?? "");
  if (isRecord(request) && typeof request.prompt === "string") return { request, source: "gpuctl" };
  const parsed = parseParameters(parameters ?? "");
  return parsed && { request: parsed, source: "parameters" };
}
