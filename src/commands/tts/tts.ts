import type { InputOf } from "../../contract/index.ts";
import { UsageError, UselessAnswer } from "../errors.ts";
import { land, landingOf } from "../shared/landing.ts";
import { paramsOf } from "../shared/params.ts";
import { isRecord } from "../shared/records.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<InputOf<"generateAudio">> = {
  input: async ({ fields, flags }, { files }) => {
    if (typeof flags.file !== "string") return { ...fields, ...paramsOf(flags) };
    if (fields.text !== undefined) throw new UsageError("give TEXT or --file, not both");
    const text = new TextDecoder().decode(await files.read(flags.file));
    return { ...fields, text, ...paramsOf(flags) };
  },
  run: async (input, context, { flags }) => {
    if (input.text?.trim() === "") throw new UsageError("TEXT is empty: there is nothing to say");
    const landing = await landingOf(flags, context);
    const answer: unknown = await context.progress("Speaking", () => context.call("generateAudio", input));
    if (!isRecord(answer) || typeof answer.audio !== "string") {
      throw new UselessAnswer("the answer holds no recording");
    }
    const landed = await land(answer.audio, landing, {
      kind: "audio",
      count: 1,
      names: { date: new Date(context.serviceNow()), prompt: input.text, fallback: "speech" },
      finish: (bytes) => bytes,
    });
    return "path" in landed ? { data: { ...landed, request: input } } : landed;
  },
};
