import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { outFlags, outputOptions, receivedJson, warnOfUnknownPrice } from "../../command-kit/inference.ts";
import { EmptyResult, UsageError } from "../../core/errors.ts";
import { asRecord, asText } from "../../core/json.ts";
import {
  type Decoded,
  decodeMedia,
  outputTarget,
  saveMedia,
  warnOfFormat,
} from "../../media/output-target.ts";

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
    return { ...input, text: new TextDecoder().decode(await files.read(file, "--file")), ...param };
  },
  run: async ({ input, flags, ...context }) => {
    if (input.text?.trim() === "") throw new UsageError("TEXT must not be empty");
    const target = await outputTarget(outputOptions(flags, context));
    warnOfUnknownPrice("of speech", context);
    const response: unknown = await context.progress("Generating speech", () =>
      context.call("generateAudio", input),
    );
    const names = { date: new Date(context.serviceNow()), prompt: input.text, fallback: "speech" };
    const sound = decoded(response, names);
    const { to } = target;
    if (to.kind === "stdout") {
      warnOfFormat(sound, "written unchanged", context.say);
      return { bytes: sound.bytes, paid: true };
    }
    const { file, problem } = await saveMedia(sound, { ...target, to });
    if (problem) throw problem;
    context.setFailureContext(`Saved before the failure: ${file.path}.`);
    return { data: { ...file, request: input } };
  },
});

/** The sound of a response. Throws an `EmptyResult` that keeps the response if there is none. */
function decoded(response: unknown, names: Decoded["names"]): Decoded {
  try {
    return decodeMedia({ base64: asText(asRecord(response).audio), kind: "audio", count: 1, names });
  } catch (error) {
    if (!(error instanceof EmptyResult)) throw error;
    throw new EmptyResult(error.message, receivedJson(response));
  }
}
