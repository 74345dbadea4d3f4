import { parse, sep } from "node:path";
import { UsageError } from "../core/errors.ts";
import { MEDIA_TYPES } from "./sniff.ts";

export const DEFAULT_TEMPLATE = "{date}-{slug}-{seed}-{index}.{ext}";

/** The values of a template's placeholders. An absent value is left out of the name. */
export interface NameValues {
  /** `{date}` and `{time}`, in local time. */
  readonly date: Date;
  /** The text for `{slug}`. */
  readonly prompt?: string | undefined;
  /** The text for `{slug}`, such as `picture`, if the prompt has no letters or digits. */
  readonly fallback: string;
  readonly seed?: number | bigint | string | undefined;
  /** Counts from 1. */
  readonly index?: number | undefined;
  readonly model?: string | undefined;
  /** Detected from the bytes, without a dot. */
  readonly ext: string;
}

const pad2 = (value: number) => String(value).padStart(2, "0");
const timeOf = (date: Date) => [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad2).join("");
const dayOf = (date: Date) => [date.getFullYear(), pad2(date.getMonth() + 1), pad2(date.getDate())].join("-");
const fallbackOf = (values: NameValues) => slug(values.fallback) || "file";

/** `{date}` includes the time, so that names sort by creation. */
const PLACEHOLDERS: Readonly<Record<string, (values: NameValues) => string>> = {
  date: ({ date }) => `${dayOf(date)}-${timeOf(date)}`,
  time: ({ date }) => timeOf(date),
  slug: (values) => slug(values.prompt ?? "") || fallbackOf(values),
  seed: ({ seed }) => safeValue(String(seed ?? "")),
  index: ({ index }) => safeValue(String(index ?? "")),
  model: ({ model }) => safeValue(model ?? ""),
  ext: ({ ext }) => safeValue(ext),
};

const PLACEHOLDER = /\{([^{}]*)\}/g;
const SEGMENT = sep === "\\" ? /([^\\/]+)([\\/]|$)/g : /([^/]+)(\/|$)/g;
/** Matches device names on Windows, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const unreserved = (name: string) => name.replace(RESERVED, "$1_");

/** @throws {UsageError} for an unknown placeholder or an unbalanced brace. */
export function checkTemplate(template: string): void {
  const known = Object.keys(PLACEHOLDERS);
  const unknown = [...template.matchAll(PLACEHOLDER)].find(([, name = ""]) => !known.includes(name));
  const [wrong] = unknown ?? /[{}].*/s.exec(template.replace(PLACEHOLDER, "")) ?? [];
  if (wrong === undefined) return;
  const choices = known.map((name) => `{${name}}`).join(" ");
  throw new UsageError(`unknown placeholder ${wrong} in the file name: use ${choices}`);
}

/** Fills one path segment of a template, and removes dots and spaces from its end. The result may be empty. */
function fill(segment: string, values: NameValues): string {
  const text = (name: string) => PLACEHOLDERS[name]?.(values) ?? "";
  const absent = Object.keys(PLACEHOLDERS).filter((name) => text(name) === "");
  const gap = `\\{(?:${absent.join("|")})\\}`;
  const kept =
    absent.length === 0 ? segment : segment.replace(new RegExp(`[-_ ]${gap}|${gap}[-_ ]?`, "g"), "");
  return kept.replace(PLACEHOLDER, (_, name: string) => text(name)).replace(/[. ]+$/, "");
}

/**
 * Fills a template. The template's own folders and leading dots stay. A value cannot add a folder, hide the file, or
 * turn the file name into a device name of Windows. A placeholder without a value is removed together with the dash,
 * underscore or space next to it; a folder whose name is then empty is left out. The file name is never empty.
 *
 * @throws {UsageError} for an invalid template.
 */
export function fileName(template: string, values: NameValues): string {
  checkTemplate(template);
  const path = template.replace(SEGMENT, (whole, segment: string, separator: string) => {
    if (!segment.includes("{")) return whole;
    const name = fill(segment, values);
    if (separator !== "") return name && unreserved(name) + separator;
    return unreserved(name.startsWith(".") && !segment.startsWith(".") ? fallbackOf(values) + name : name);
  });
  const isNamed = path !== "" && !path.endsWith("/") && !path.endsWith(sep);
  return isNamed ? path : path + unreserved(fallbackOf(values));
}

/**
 * A file name, without an extension, for an ID. If the ID itself cannot be a name, the part of it that can be kept is
 * followed by `hashOf(id)`, so that different IDs have different names.
 */
export function nameForId(id: string, hashOf: (id: string) => string): string {
  const kept = isAscii(id) ? safeValue(id) : startOf(wordsOf(id), MAX_ID);
  if (kept === id && unreserved(id) === id) return id;
  return [kept, hashOf(id)].filter((part) => part !== "").join("-");
}

/**
 * Limits of a slug: in characters, so that a name stays readable, and in bytes, because file systems allow 255 bytes
 * for a name.
 */
const MAX_SLUG = { characters: 40, bytes: 120 };
const MAX_VALUE = 60;
/** An ID that gpuctl makes for a prompt is longer than a slug. */
const MAX_ID = { characters: 60, bytes: 160 };

/** Removes accents, and replaces compatibility characters such as full-width letters with plain ones. */
function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}+/gu, "");
}

/**
 * A prompt as lower-case words joined by dashes. A long prompt is cut between words if that keeps at least half of the
 * slug, otherwise within a word. Letters of every script are kept, with the marks that scripts such as Devanagari need;
 * only Latin letters lose their accents. May be empty.
 */
function slug(text: string): string {
  // A prompt may be pages long; ten times the limit is enough to fill the slug.
  const words = wordsOf(text.slice(0, MAX_SLUG.characters * 10).toLowerCase());
  const start = startOf(words);
  const lastDash = words.lastIndexOf("-", start.length);
  const cutsWord = start.length < words.length && lastDash >= start.length / 2;
  return cutsWord ? start.slice(0, lastDash) : start;
}

/** Text as words joined by dashes. ASCII text must be in lower case. */
function wordsOf(text: string): string {
  // The patterns for all scripts are not used for ASCII, because V8 takes 3 ms to compile them.
  if (isAscii(text)) return text.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return text
    .normalize("NFKD")
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Me}]+/gu, "")
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, "")
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}][^\p{L}\p{N}]*/gu, "-")
    .replace(/^[-\p{M}]+|-$/gu, "");
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** As much of the words as the limits allow, without separating a letter from its marks. */
function startOf(words: string, limits = MAX_SLUG): string {
  if (isAscii(words)) return words.slice(0, limits.characters).replace(/-$/, "");
  let start = "";
  let characters = 0;
  for (const [letter] of words.matchAll(/\P{M}\p{M}*/gu)) {
    characters += [...letter].length;
    if (characters > limits.characters || Buffer.byteLength(start + letter) > limits.bytes) break;
    start += letter;
  }
  return start.replace(/-$/, "");
}

/**
 * Turns a value into text that every file system accepts in a name: at most 60 ASCII letters, digits, `.`, `_`, `+` and
 * `-`. It has no dot or dash at either end, except for the sign of a whole number, and no dash before a dot or another
 * dash. May be empty.
 */
function safeValue(value: string): string {
  if (/^-?\d{1,40}$/.test(value)) return value;
  return folded(value.slice(0, MAX_VALUE * 4))
    .replace(/[^A-Za-z0-9._+-]+/g, "-")
    .replace(/-+(?=[-.])/g, "")
    .slice(0, MAX_VALUE)
    .replace(/^[.-]+|[.-]+$/g, "");
}

/** Other common extensions of the same type. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  aiff: ["aif", "aifc"],
  heic: ["heif"],
  jpg: ["jpeg", "jpe", "jfif"],
  ogg: ["oga", "opus"],
  m4a: ["m4b", "mp4"],
  tiff: ["tif"],
  wav: ["wave"],
  webm: ["weba"],
};

const MEDIA_EXTENSIONS = new Set(MEDIA_TYPES.flatMap(({ ext }) => [ext, ...(ALIASES[ext] ?? [])]));

/**
 * The path with the extension `ext`. A different media extension is replaced. Any other ending is kept and `ext` is
 * added, because the `.5` of `v1.5` is not an extension. `renamed` is true if the path had a different ending, and
 * `replaced` if that ending was a media extension.
 */
export function withExtension(
  path: string,
  ext: string,
): { path: string; renamed: boolean; replaced: boolean } {
  const typed = parse(path).ext;
  const typedExt = typed.slice(1).toLowerCase();
  if (typedExt === ext || ALIASES[ext]?.includes(typedExt)) return { path, renamed: false, replaced: false };
  const replaced = MEDIA_EXTENSIONS.has(typedExt);
  const stem = replaced || typed === "." ? path.slice(0, -typed.length) : path;
  return { path: `${stem}.${ext}`, renamed: typedExt !== "", replaced };
}

/** The path with a number or a word before its extension: `cat.png` -> `cat-2.png`. */
export function suffixed(path: string, suffix: number | string): string {
  const { ext } = parse(path);
  return `${path.slice(0, path.length - ext.length)}-${suffix}${ext}`;
}
