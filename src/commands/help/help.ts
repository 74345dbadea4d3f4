import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { helpOn }, { words: { WORD = [] } }) => ({ text: whole(await helpOn([WORD].flat())) }),
};

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}
