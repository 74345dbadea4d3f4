import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { nothingDone } from "../../command-kit/results.ts";
import { save } from "../../media/save.ts";

export default defineCommand({
  path: "sandbox snapshot",
  summary: "Save the state of the sandbox, without the request log",
  args: [arg.text("FILE", "File to write; - writes to stdout", { required: true })],
  flags: { force: flag.boolean("Replace an existing file") },
  uses: ["sandbox"],
  view: { kind: "record", id: ["path"] },
  examples: [
    { text: "Save the state to a file", command: "gpuctl sandbox snapshot state.json" },
    { text: "Write the state to stdout", command: "gpuctl sandbox snapshot - > state.json" },
  ],
  run: async ({ args: { file }, flags: { force }, sandbox, settings, files, say }) => {
    const bytes = Buffer.from(`${JSON.stringify(await (await sandbox()).snapshot())}\n`);
    if (file === "-") return { bytes };
    const path = files.resolve(file);
    if (settings.dryRun) say(nothingDone);
    else await save(path, bytes, { force, failIfExists: true });
    return { data: { path, bytes: bytes.length } };
  },
});
