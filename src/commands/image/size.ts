import { UsageError } from "../../context/errors.ts";
import type { Args } from "../spec.ts";

/** `--size WxH` as width and height in pixels, or nothing when it was not given. */
export function sizeOf({ size }: Args["flags"]): { width: number; height: number } | undefined {
  if (size === undefined) return undefined;
  const match = /^(\d{1,6})x(\d{1,6})$/i.exec(String(size));
  if (!match) {
    throw new UsageError(`--size must be WIDTHxHEIGHT such as 1024x1024, not ${JSON.stringify(size)}`);
  }
  return { width: Number(match[1]), height: Number(match[2]) };
}
