import type { Context } from "../../context/context.ts";
import type { InputOf } from "../../contract/index.ts";
import type { Verb } from "../spec.ts";
import { chatInput } from "./input.ts";
import { type Ending, streamed, tellEnding } from "./streamed.ts";
import { readPiece } from "./wire.ts";

export const verb: Verb<InputOf<"createChatCompletion">> = {
  input: chatInput,
  run: async (input, context, { flags }) => {
    const whole = context.settings.output !== "table" || flags["no-stream"] === true;
    const tell = (ending: Ending) => tellEnding(ending, flags.usage === true, context);
    if (whole) return { data: await answer(input, context, tell) };
    return { text: streamed({ ...input, stream: true, ...usageWish(flags.usage) }, context, tell) };
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
