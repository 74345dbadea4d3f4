import { UsageError } from "../errors.ts";
import type { Args } from "../spec.ts";

/** `--param KEY=JSON`, repeated: fields that the service takes beside the documented ones. */
export function paramsOf({ param }: Args["flags"]): Readonly<Record<string, unknown>> {
  const texts = Array.isArray(param) ? param : [];
  return Object.fromEntries(texts.map(parse));
}

function parse(text: string): [string, unknown] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`--param must be KEY=JSON such as top_k=40, not ${JSON.stringify(text)}`);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value)];
  } catch {
    throw new UsageError(
      `--param ${text.slice(0, at)}: ${JSON.stringify(value)} is not JSON; a text needs quotes, as in '${text.slice(0, at)}="${value}"'`,
    );
  }
}
