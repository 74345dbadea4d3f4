import { parse } from "node:path";
import { MEDIA_TYPES } from "./sniff.ts";

/** Other extensions in use for the same bytes. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  jpg: ["jpeg", "jpe", "jfif"],
  ogg: ["oga", "opus"],
  m4a: ["m4b", "mp4"],
  wav: ["wave"],
};

/** Every extension that promises bytes of some kind, and so must not stand on bytes of another. */
const PROMISES = new Set(MEDIA_TYPES.flatMap(({ ext }) => [ext, ...(ALSO[ext] ?? [])]));

/**
 * The path with the extension that its bytes have: one that promises other bytes is replaced, any other kept
 * and followed by the right one, since `v1.5` is a name and no extension. `renamed` says that the user typed
 * an extension and gets another.
 */
export function withExtension(path: string, ext: string): { path: string; renamed: boolean } {
  const typed = parse(path).ext;
  const promise = typed.slice(1).toLowerCase();
  if (promise === ext || ALSO[ext]?.includes(promise)) return { path, renamed: false };
  const stem = PROMISES.has(promise) || typed === "." ? path.slice(0, -typed.length) : path;
  return { path: `${stem}.${ext}`, renamed: promise !== "" };
}

/** The path with `-number` before its extension: `cat.png` -> `cat-2.png`. */
export function numbered(path: string, number: number): string {
  const { ext } = parse(path);
  return `${path.slice(0, path.length - ext.length)}-${number}${ext}`;
}
