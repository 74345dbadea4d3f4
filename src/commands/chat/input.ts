import type { Context } from "../../context/context.ts";
import { UsageError } from "../errors.ts";
import { paramsOf } from "../shared/params.ts";
import { parseNumber } from "../shared/values.ts";
import type { Args } from "../spec.ts";

/** The request: the system's words and the user's, the model, and whatever else was given. */
export async function chatInput({ fields, flags, words }: Args, context: Context): Promise<object> {
  const { chatModel } = context.settings.defaults;
  if (context.settings.validate && String(words.MESSAGE).trim() === "") {
    throw new UsageError("MESSAGE is empty: there is nothing to say");
  }
  return {
    ...(chatModel !== undefined && { model: chatModel }),
    ...fields,
    messages: [...(await systemMessage(flags, context)), { role: "user", content: words.MESSAGE }],
    ...(flags["top-p"] !== undefined && { top_p: parseNumber(String(flags["top-p"]), "--top-p") }),
    ...(flags.seed !== undefined && { seed: parseNumber(String(flags.seed), "--seed") }),
    ...(flags.stop !== undefined && { stop: flags.stop }),
    ...paramsOf(flags),
  };
}

async function systemMessage({ system }: Args["flags"], { files }: Context): Promise<object[]> {
  if (typeof system !== "string") return [];
  const content = system.startsWith("@")
    ? new TextDecoder().decode(await files.read(system.slice(1)))
    : system;
  return [{ role: "system", content }];
}
