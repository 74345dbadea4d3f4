import { outFlags } from "../shared/out-flags.ts";
import type { CommandSpec } from "../spec.ts";

export const ttsCommands: readonly CommandSpec[] = [
  {
    path: ["tts"],
    summary: "Speak a text",
    details: "The text is the argument, the file given by --file, or what stdin holds.",
    operations: ["generateAudio"],
    positionals: [
      {
        name: "TEXT",
        field: "text",
        required: true,
        stdin: "instead",
        unless: "file",
        text: "What to say",
      },
    ],
    withoutFlag: ["text"],
    flags: [
      { names: ["file"], value: "FILE", text: "Read the text from a file" },
      {
        names: ["param"],
        value: "KEY=JSON",
        text: "Anything else that the service takes",
        repeat: true,
      },
      ...outFlags("recording"),
    ],
    view: { kind: "lines", path: "path" },
    examples: [
      { text: "Speak a sentence into a file", command: 'gpuctl tts "Your GPU is ready." --sandbox' },
      {
        text: "Slowly, under a name of its own",
        command: 'gpuctl tts "Your GPU is ready." --speed 0.8 --out ready.wav --sandbox',
      },
    ],
    load: () => import("./tts.ts"),
  },
];
