import { UsageError } from "../errors.ts";
import type { Args } from "../spec.ts";

/** `--size WxH` as width and height in pixels, or nothing when it was not given. */
export function sizeOf(
  { size }: Args["flags"],
  fields: Args["fields"] = {},
): { width: number; height: number } | undefined {
  if (size === undefined) return undefined;
  const match = /^(\d{1,6})x(\d{1,6})$/i.exec(String(size));
  if (!match) {
    throw new UsageError(`--size must be WIDTHxHEIGHT such as 1024x1024, not ${JSON.stringify(size)}`);
  }
  const [width, height] = [Number(match[1]), Number(match[2])];
  if ((fields.width ?? width) !== width || (fields.height ?? height) !== height) {
    throw new UsageError("--size and --width or --height differ: give one of them");
  }
  return { width, height };
}
