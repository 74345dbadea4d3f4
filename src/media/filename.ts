import { sep } from "node:path";
import { BadTemplate } from "./bad-template.ts";
import { namePiece, slug } from "./slug.ts";

export const DEFAULT_TEMPLATE = "{date}-{slug}-{seed}-{index}.{ext}";

/** What the placeholders of a template stand for. One that is absent drops out of the name. */
export interface NameValues {
  /** `{date}` and `{time}`, in local time. */
  readonly date: Date;
  /** `{slug}` is made from it. */
  readonly prompt?: string | undefined;
  /** What `{slug}` says when the prompt has no letter that a name can hold, such as `picture` or `speech`. */
  readonly fallback: string;
  readonly seed?: number | bigint | string | undefined;
  /** Counts from 1. */
  readonly index?: number | undefined;
  readonly model?: string | undefined;
  /** Without a dot, from the bytes. */
  readonly ext: string;
}

const two = (value: number) => String(value).padStart(2, "0");
const timeOf = (date: Date) => [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join("");
const dayOf = (date: Date) => [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
const fallbackOf = (values: NameValues) => slug(values.fallback) || "file";

/** Placeholder -> its text; `{date}` holds the time too, so that names sort by when they were made. */
const PLACEHOLDERS: Readonly<Record<string, (values: NameValues) => string>> = {
  date: ({ date }) => `${dayOf(date)}-${timeOf(date)}`,
  time: ({ date }) => timeOf(date),
  slug: (values) => slug(values.prompt ?? "") || fallbackOf(values),
  seed: ({ seed }) => namePiece(String(seed ?? "")),
  index: ({ index }) => namePiece(String(index ?? "")),
  model: ({ model }) => namePiece(model ?? ""),
  ext: ({ ext }) => namePiece(ext),
};

const PLACEHOLDER = /\{([^{}]*)\}/g;
const FOLDER_OR_NAME = sep === "\\" ? /([^\\/]+)([\\/]|$)/g : /([^/]+)(\/|$)/g;
/** Windows takes these for devices, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const unreserved = (name: string) => name.replace(RESERVED, "$1_");

/** @throws {BadTemplate} for a placeholder that does not exist, or a brace without its other half. */
export function checkTemplate(template: string): void {
  const known = Object.keys(PLACEHOLDERS);
  for (const [placeholder, name = ""] of template.matchAll(PLACEHOLDER)) {
    if (!known.includes(name)) throw new BadTemplate(placeholder, known);
  }
  const stray = /[{}].*/s.exec(template.replace(PLACEHOLDER, ""));
  if (stray !== null) throw new BadTemplate(stray[0], known);
}

/** One folder or file name of a template, filled; empty when it came to nothing but dots. */
function fill(piece: string, values: NameValues): string {
  const text = (name: string) => PLACEHOLDERS[name]?.(values) ?? "";
  const absent = Object.keys(PLACEHOLDERS).filter((name) => text(name) === "");
  const gap = `\\{(?:${absent.join("|")})\\}`;
  const kept = absent.length === 0 ? piece : piece.replace(new RegExp(`[-_ ]${gap}|${gap}[-_ ]?`, "g"), "");
  return kept.replace(PLACEHOLDER, (_, name: string) => text(name)).replace(/[. ]+$/, "");
}

/**
 * The path that a template makes. What the template itself says, folders and leading dots too, is the user's
 * and stays; a value can add neither a folder nor a hidden or reserved name, and a placeholder without a
 * value goes together with the dash beside it. The name is never empty.
 *
 * @throws {BadTemplate}
 */
export function fileName(template: string, values: NameValues): string {
  checkTemplate(template);
  const path = template.replace(FOLDER_OR_NAME, (whole, piece: string, separator: string) => {
    if (!piece.includes("{")) return whole;
    const name = fill(piece, values);
    if (separator !== "") return name && unreserved(name) + separator;
    return unreserved(name.startsWith(".") && !piece.startsWith(".") ? fallbackOf(values) + name : name);
  });
  const isNamed = path !== "" && !path.endsWith("/") && !path.endsWith(sep);
  return isNamed ? path : path + unreserved(fallbackOf(values));
}
