import { arg } from "../../command-kit/arg.ts";
import { controlCommand, readText } from "./control.ts";

/** The name of a field of a seed, for messages. For the seed itself, the name of its file. */
export const seedField = (path: readonly (string | number)[], file: string): string =>
  path.length === 0 ? file : path.join(".");

export default controlCommand({
  path: "sandbox seed",
  summary: "Replace everything in the sandbox with the contents of a file",
  details:
    "The file is YAML or JSON; `gpuctl sandbox limits` describes the format. An invalid file changes nothing.",
  args: [arg.text("FILE", "Seed file; - reads stdin", { required: true })],
  effect: "destroy",
  question: (sandbox) => `Replace everything in ${sandbox} with the seed?`,
  view: { kind: "record", id: [] },
  examples: [
    {
      text: "Start with one machine",
      command: "printf 'rentals: [{rentalType: virtual-machine, gpuCount: 1}]' | gpuctl sandbox seed - --yes",
    },
    {
      text: "Start with a frozen clock and $50",
      command:
        "printf 'clock: {now: \"2026-12-01T00:00:00Z\", frozen: true}\\nbalanceCents: 5000\\n' | gpuctl sandbox seed - --yes",
    },
  ],
  buildInput: async ({ args: { file }, files }) => ({ text: await readText(file, files) }),
  act: async (control, { input: { text } }) => {
    await control.seed(text);
    return control.status();
  },
  dryRun: (control) => control.status(),
  nameOf: (path, { args: { file } }) => seedField(path, file),
});
