import { UsageError } from "../errors.ts";
import type { Args } from "../spec.ts";

/** `WxH` as width and height in pixels. */
export function parseSize(size: string): { width: number; height: number } {
  const match = /^(\d{1,6})x(\d{1,6})$/i.exec(size);
  if (!match) {
    throw new UsageError(`--size must be WIDTHxHEIGHT such as 1024x1024, not ${JSON.stringify(size)}`);
  }
  return { width: Number(match[1]), height: Number(match[2]) };
}

/** `--size` of a picture, or nothing when it was not given; it must agree with `--width` and `--height`. */
export function sizeOf({ flags, fields }: Args): { width: number; height: number } | undefined {
  if (flags.size === undefined) return undefined;
  const { width, height } = parseSize(String(flags.size));
  if ((fields.width ?? width) !== width || (fields.height ?? height) !== height) {
    throw new UsageError("--size and --width or --height differ: give one of them");
  }
  return { width, height };
}
