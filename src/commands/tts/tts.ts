import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { restoredWithRepeated } from "../../client/divert.ts";
import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { outFlags, outputOptions, warnOfUnknownPrice } from "../../command-kit/inference.ts";
import { EmptyResult, UsageError } from "../../core/errors.ts";
import { scalarText } from "../../core/json.ts";
import { receivedJson } from "../../core/responses/success.ts";
import type { Result } from "../../core/result.ts";
import { readText } from "../../core/text.ts";
import { ArrivingMedia, maxArriving, soundsIn } from "../../media/arriving.ts";
import {
  outputTarget,
  type SavedFile,
  saveElsewhere,
  saveMedia,
  warnOfFormat,
} from "../../media/output-target.ts";
import { requestedTexts } from "./cut.ts";
import type { Speak } from "./parts.ts";

export default defineCommand({
  path: "tts",
  summary: "Convert text to speech",
  details:
    "The text is the argument, the file named by --file, or stdin. A long text is cut at the ends of sentences and spoken in parts, which are joined into one file (WAV or MP3). If the command is interrupted, or a part fails, run the same command again: it requests only the parts that are missing.",
  operation: "generateAudio",
  uses: ["programs"],
  args: [
    arg.field("TEXT", "Text to speak", "text", { required: true, stdin: "instead", replacedByFlag: "file" }),
  ],
  fieldsWithoutFlag: ["text"],
  flags: {
    file: flag.text("Read the text from a file", { value: "FILE" }),
    param: flag.params("Any other field that the service accepts"),
    // The lowest limits of well-known services are 3,000 characters and 5,000 bytes.
    partLength: flag.integer("Cut a longer text into parts of at most this many characters", {
      default: "2000",
      minimum: 20,
    }),
    concurrency: flag.integer("Number of parts to request at a time", { default: "4", minimum: 1 }),
    ...outFlags("audio"),
    play: flag.boolean("Play the audio once it is saved"),
  },
  view: { kind: "lines", path: "path" },
  examples: [
    { text: "Save a sentence as speech", command: 'gpuctl tts "Your GPU is ready." --sandbox' },
    {
      text: "Speak slower and save to a named file",
      command: 'gpuctl tts "Your GPU is ready." --speed 0.8 --out ready.wav --sandbox',
    },
    {
      text: "Speak a text sentence by sentence, three at a time",
      command:
        'gpuctl tts "Your GPU is ready. It costs two dollars an hour." --part-length 30 --concurrency 3 --sandbox',
    },
  ],
  buildInput: async ({ input, flags: { file, param }, files }) => {
    if (file === undefined) return { ...input, ...param };
    if (input.text !== undefined) throw new UsageError("TEXT and --file cannot be used together");
    return { ...input, text: await readText(file, "--file", files), ...param };
  },
  run: async ({ input, flags, programs, ...context }) => {
    const { settings } = context;
    const { text, ...fields } = input;
    // With --no-validate, the text may be missing or have any type.
    const parts = typeof text === "string" ? requestedTexts(text, flags.partLength) : [text];
    if (flags.play && flags.out === "-") throw new UsageError("--play and --out - cannot be used together");
    const target = await outputTarget(outputOptions(flags, context));
    const player = flags.play && !settings.dryRun ? await import("./play.ts") : undefined;
    const players = await player?.installedPlayers(programs);
    warnOfUnknownPrice("of speech", context);
    if (settings.dryRun) {
      await Promise.all(parts.map((part) => context.call("generateAudio", { ...fields, text: part })));
    }
    const names = { date: new Date(context.serviceNow()), prompt: scalarText(text), fallback: "speech" };
    const speak: Speak = async (part, place, use) => {
      const arriving: ArrivingMedia[] = [];
      const open = () => {
        const media = new ArrivingMedia(place, createHash);
        arriving.push(media);
        return media;
      };
      try {
        const sent = { ...fields, text: part };
        const response: unknown = await context.call("generateAudio", sent, {
          divert: { path: "audio", max: maxArriving, open },
        });
        const { sound, others } = arrived(response, arriving, context);
        const media = { kind: "audio", count: 1, names } as const;
        try {
          return await use(sound.finish(media));
        } finally {
          for (const other of others) {
            const { file } = await saveElsewhere(
              other.finish(media),
              "the response has more than one audio file",
              place,
            );
            context.say(`The response has another audio file, saved as ${file.path}`);
          }
        }
      } finally {
        for (const media of arriving) media.discard();
      }
    };
    const printed = ({ path, bytes, sha256 }: SavedFile) => ({ path, bytes, sha256, request: input });
    const finish = async (file: SavedFile): Promise<Result> => {
      context.setFailureContext(`Saved before the failure: ${file.path}.`);
      if (player === undefined || players === undefined) return { data: printed(file) };
      const playing = () => player.play(file.path, players, programs);
      return { data: printed(file), failure: await context.progress("Playing", playing) };
    };
    if (parts.length > 1) {
      const { speakLongText } = await import("./long.ts");
      const { file, concurrency } = flags;
      const long = { parts, fields, names, file, target, concurrency, speak };
      const recording = await speakLongText(long, context);
      if ("bytes" in recording) return { ...recording, kept: true };
      if ("file" in recording) return finish(recording.file);
      return { data: recording.files.map(printed), failure: recording.problem };
    }
    const [only = text] = parts;
    const { to } = target;
    const recording = await context.progress("Generating speech", () =>
      speak(only, target, async (sound) => {
        if (to.kind !== "stdout") return saveMedia(sound, { ...target, to });
        if (sound.isTruncated)
          return saveElsewhere(sound, "truncated audio is not written to stdout", target);
        warnOfFormat(sound, "written unchanged", context.say);
        return { bytes: await readFile(sound.file.path) };
      }),
    );
    if ("bytes" in recording) return { ...recording, paid: true };
    if (recording.problem) throw recording.problem;
    return finish(recording.file);
  },
});

/**
 * Returns the sounds of a response, usually only one. If there is none, throws an `EmptyResult` that keeps the
 * response.
 */
function arrived(
  response: unknown,
  arriving: readonly ArrivingMedia[],
  { redactor }: Pick<Context, "redactor">,
) {
  const [sound, ...others] = soundsIn(response, arriving);
  if (typeof sound !== "string") return { sound, others };
  const { bytes, complete } = receivedJson(response);
  throw new EmptyResult(sound, { bytes: restoredWithRepeated(bytes, arriving, redactor), complete });
}
