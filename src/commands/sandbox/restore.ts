import { arg } from "../../command-kit/arg.ts";
import { controlCommand, readText } from "./control.ts";

const after = ["gpuctl sandbox snapshot state.json"];

export default controlCommand({
  path: "sandbox restore",
  summary: "Restore the sandbox from a snapshot",
  args: [arg.text("FILE", "Snapshot file; - reads stdin", { required: true })],
  effect: "destroy",
  question: (sandbox) => `Replace everything in ${sandbox} with the snapshot?`,
  view: { kind: "record", id: [] },
  examples: [
    { text: "Restore a snapshot", command: "gpuctl sandbox restore state.json --yes", after },
    {
      text: "Restore a snapshot and print the state as JSON",
      command: "gpuctl sandbox restore state.json --yes -o json",
      after,
    },
  ],
  buildInput: async ({ args: { file }, files }) => ({ text: await readText(file, files) }),
  act: async (control, { input: { text } }) => {
    await control.restore(text);
    return control.status();
  },
  dryRun: (control) => control.status(),
  nameOf: (_path, { args: { file } }) => file,
});
