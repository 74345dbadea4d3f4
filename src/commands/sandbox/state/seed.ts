import { UsageError } from "../../errors.ts";
import type { Verb } from "../../spec.ts";
import { controlled } from "../control.ts";

export const verb: Verb<object> = {
  question: () => "Replace everything in the sandbox by the seed?",
  run: async (_input, context, { words }) => {
    const file = String(words.FILE ?? "");
    const text = textOf(await context.files.read(file), file);
    return {
      data: await controlled<unknown>(context, {
        run: async (control) => {
          await control.seed(text);
          return control.status();
        },
        dry: (control) => control.status(),
        nameOf: (path) => (path.length === 0 ? file : path.join(".")),
      }),
    };
  },
};

/** Throws `UsageError` for bytes that are no text. */
export function textOf(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file} is no text in UTF-8`);
  }
}
