import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { outFlags, outputOptions } from "../../command-kit/inference.ts";
import { EmptyResult, UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { outputTarget, saveMedia } from "../../media/output-target.ts";

export default defineCommand({
  path: "tts",
  summary: "Convert text to speech",
  details: "The text is the argument, the file named by --file, or stdin.",
  operation: "generateAudio",
  args: [
    arg.field("TEXT", "Text to speak", "text", { required: true, stdin: "instead", replacedByFlag: "file" }),
  ],
  fieldsWithoutFlag: ["text"],
  flags: {
    file: flag.text("Read the text from a file", { value: "FILE" }),
    param: flag.params("Any other field that the service accepts"),
    ...outFlags("recording"),
  },
  view: { kind: "lines", path: "path" },
  examples: [
    { text: "Save a sentence as speech", command: 'gpuctl tts "Your GPU is ready." --sandbox' },
    {
      text: "Speak slower and save to a named file",
      command: 'gpuctl tts "Your GPU is ready." --speed 0.8 --out ready.wav --sandbox',
    },
  ],
  buildInput: async ({ input, flags: { file, param }, files }) => {
    if (file === undefined) return { ...input, ...param };
    if (input.text !== undefined) throw new UsageError("TEXT and --file cannot be used together");
    return { ...input, text: new TextDecoder().decode(await files.read(file)), ...param };
  },
  run: async ({ input, flags, ...context }) => {
    if (input.text?.trim() === "") throw new UsageError("TEXT must not be empty");
    const target = await outputTarget(outputOptions(flags, context));
    const response: unknown = await context.progress("Generating speech", () =>
      context.call("generateAudio", input),
    );
    if (!isRecord(response) || typeof response.audio !== "string") {
      throw new EmptyResult("the response contains no audio");
    }
    const names = { date: new Date(context.serviceNow()), prompt: input.text, fallback: "speech" };
    const saved = await saveMedia({ base64: response.audio, kind: "audio", count: 1, names }, target);
    return "path" in saved ? { data: { ...saved, request: input } } : saved;
  },
});
