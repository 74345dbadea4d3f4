import type { Shell } from "../../context/context.ts";
import type { Verb } from "../spec.ts";
import { completionFiles } from "./shells.ts";

export const verb: Verb<object> = {
  run: async (_input, { completionScript }, { words }) => ({
    text: whole(await completionScript(shellOf(words.SHELL))),
  }),
};

/** The core takes no other words than the choices. */
const shellOf = (word: unknown): Shell =>
  (Object.keys(completionFiles) as Shell[]).find((shell) => shell === word) ?? "bash";

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}
