import type { Verb } from "../../spec.ts";
import { controlled } from "../control.ts";
import { textOf } from "./seed.ts";

export const verb: Verb<object> = {
  question: () => "Replace everything in the sandbox by the snapshot?",
  run: async (_input, context, { words }) => {
    const file = String(words.FILE ?? "");
    const text = textOf(await context.files.read(file), file);
    return {
      data: await controlled<unknown>(context, {
        run: (control) => {
          control.restore(text);
          return control.status();
        },
        dry: (control) => control.status(),
        nameOf: () => file,
      }),
    };
  },
};
