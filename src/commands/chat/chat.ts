import { readPiece } from "../../client/pieces.ts";
import type { Context } from "../../context/context.ts";
import type { InputOf } from "../../contract/index.ts";
import type { Verb } from "../spec.ts";
import { chatInput } from "./input.ts";
import { bodies, type Ending, heard, tellEnding, texts } from "./streamed.ts";

export const verb: Verb<InputOf<"createChatCompletion">> = {
  input: chatInput,
  run: async (input, context, { flags }) => {
    const { output } = context.settings;
    const tell = (ending: Ending) => tellEnding(ending, flags.usage === true, context);
    if (flags["no-stream"] === true || !(output === "table" || output === "jsonl")) {
      return { data: await answer(input, context, tell) };
    }
    const events = heard({ ...input, stream: true, ...usageWish(flags.usage) }, context, tell);
    return output === "jsonl" ? { records: bodies(events) } : { text: texts(events) };
  },
};

const usageWish = (usage: unknown): object =>
  usage === true ? { stream_options: { include_usage: true } } : {};

async function answer(
  input: InputOf<"createChatCompletion">,
  { call, progress }: Context,
  tell: (ending: Ending) => void,
): Promise<unknown> {
  const completion = await progress("Thinking", () => call("createChatCompletion", input));
  const { finish, usage } = readPiece(completion);
  tell({ finish, usage });
  return completion;
}
