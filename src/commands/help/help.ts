import { textAnswer } from "../shared/text-answer.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { helpOn, settings }, { words: { WORD = [] } }) => {
    const text = await helpOn([WORD].flat());
    return textAnswer(text, { text }, settings);
  },
};
