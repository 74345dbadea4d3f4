import type { Context } from "../../context/context.ts";
import { UsageError } from "../errors.ts";
import type { Args } from "../spec.ts";
import { type Named, nested, nothing } from "./keys.ts";

/** What `-f` and `-F` came to. Throws `UsageError` for what cannot be read, and for a file that is not there. */
export async function typedFields(
  { "raw-field": raw, field: typed }: Args["flags"],
  files: Pick<Context["files"], "read">,
): Promise<Readonly<Record<string, unknown>>> {
  const values: Named[] = listed(raw).map((text) => split(text, "-f"));
  for (const text of listed(typed)) {
    const { key, value } = split(text, "-F");
    values.push({ key, value: typeof value === "string" ? await read(value, key, files) : value });
  }
  return nested(values);
}

const listed = (value: Args["flags"][string]): readonly string[] => (Array.isArray(value) ? value : []);

function split(text: string, flag: string): Named {
  const at = text.indexOf("=");
  if (at > 0) return { key: text.slice(0, at), value: text.slice(at + 1) };
  if (at < 0 && text.endsWith("[]")) return { key: text, value: nothing };
  throw new UsageError(`${flag} must be KEY=VALUE such as label=train, not ${JSON.stringify(text)}`);
}

const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** true, false, null and numbers as such, `@FILE` and `-` as what a file or stdin holds, anything else as text. */
async function read(text: string, key: string, files: Pick<Context["files"], "read">): Promise<unknown> {
  if (Object.hasOwn(words, text)) return words[text];
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return number(text, key);
  if (text === "-") return new TextDecoder().decode(await files.read("-"));
  if (text.startsWith("@")) return new TextDecoder().decode(await files.read(text.slice(1)));
  return text;
}

function number(text: string, key: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || (/^-?\d+$/.test(text) && !Number.isSafeInteger(value))) {
    throw new UsageError(
      `${key} is too large to be sent exactly as a number: ${text}; -f sends it as a text`,
    );
  }
  return value;
}
