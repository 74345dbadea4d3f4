import { ResultLost } from "../core/errors.ts";
import { fileName } from "./filename.ts";
import { saveInFirst } from "./output-target.ts";
import { sniff } from "./sniff.ts";

export interface KeepOptions {
  /** Folders to try, in order. */
  readonly folders: readonly string[];
  readonly date: Date;
  /** What is kept, such as `response`. It is a part of the file name. */
  readonly thing: string;
}

/**
 * Saves bytes to a file, because they were paid for but cannot be used or printed. Returns the path of the file. Throws
 * `ResultLost` if no folder works.
 */
export async function keep(bytes: Uint8Array, { folders, date, thing }: KeepOptions): Promise<string> {
  const ext = sniff(bytes)?.ext ?? textExtension(bytes);
  const name = fileName("{date}-{slug}.{ext}", { date, prompt: thing, fallback: thing, ext });
  const path = await saveInFirst(folders, name, bytes);
  if (path === undefined) throw new ResultLost(`the ${thing} could not be kept in ${folders.join(" or ")}`);
  return path;
}

/** The extension for an unknown format: `json` for text that begins like JSON, `txt` for other text, or else `bin`. */
function textExtension(bytes: Uint8Array): "json" | "txt" | "bin" {
  const [first = 0] = Buffer.from(bytes.subarray(0, 100)).toString().trimStart();
  if (first === "{" || first === "[") return "json";
  return bytes.subarray(0, 1000).every((byte) => byte >= 0x20 || (byte >= 0x08 && byte <= 0x0d))
    ? "txt"
    : "bin";
}
