import type { Shell } from "../../context/context.ts";
import { textAnswer } from "../shared/text-answer.ts";
import type { Verb } from "../spec.ts";
import { completionFiles } from "./shells.ts";

export const verb: Verb<object> = {
  run: async (_input, { completionScript, settings }, { words }) => {
    const shell = shellOf(words.SHELL);
    const script = await completionScript(shell);
    return textAnswer(script, { shell, script }, settings);
  },
};

/** The core takes no other words than the choices. */
const shellOf = (word: unknown): Shell =>
  (Object.keys(completionFiles) as Shell[]).find((shell) => shell === word) ?? "bash";
