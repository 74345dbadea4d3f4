import { UsageError } from "../core/errors.ts";
import { utf8Text } from "../core/text.ts";
import type { Context } from "./context.ts";

/**
 * Reads a text file for a flag, or stdin for `-`. Throws `UsageError` if it is not text in UTF-8: the text would be sent,
 * and perhaps paid for, with replacement characters.
 */
export async function readText(
  path: string,
  flag: string,
  files: Pick<Context["files"], "read">,
): Promise<string> {
  const text = utf8Text(await files.read(path, flag));
  if (text !== undefined) return text;
  throw new UsageError(`${flag} ${path} is not text in UTF-8`, {
    hint: "Convert it to text in UTF-8 first. Nothing was sent.",
  });
}
