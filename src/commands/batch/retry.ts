import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { NotFound, UsageError } from "../../core/errors.ts";
import { exampleOutput } from "./examples.ts";
import { withBatchLock } from "./lock.ts";

export default defineCommand({
  path: "batch retry",
  summary: "Mark lines of a batch to be sent again",
  details:
    "This command sends nothing: run `gpuctl batch run` again afterwards. A line with an unknown outcome may have been processed and charged, so look at it first. The results of marked lines are moved from the output to a file next to it, whose name ends in .replaced.",
  args: [arg.text("OUTPUT", "The output of the batch", { required: true })],
  flags: {
    failed: flag.boolean("Mark the lines that failed"),
    unknown: flag.boolean("Mark the lines whose outcome is unknown"),
    ids: flag.texts("Mark only the lines with these custom_ids", {
      value: "ID",
    }),
  },
  view: { kind: "lines", path: "custom_id" },
  examples: [
    {
      text: "Mark the lines that failed",
      command: "gpuctl batch retry answers.jsonl --failed",
      after: exampleOutput,
    },
    {
      text: "Mark every line that failed or has an unknown outcome",
      command: "gpuctl batch retry answers.jsonl --failed --unknown",
      after: exampleOutput,
    },
  ],
  run: async ({ args, flags: { failed, unknown, ids }, files, now, sleep, say, settings }) => {
    if (!failed && !unknown) throw new UsageError("--failed or --unknown is required");
    const out = files.resolve(args.output);
    const [{ idsWith, openBatch, readKnown, recoverBatch }, { diskFiles }] = await Promise.all([
      import("../../batch/engine/open.ts"),
      import("../../batch/files.ts"),
    ]);
    const states = [...(failed ? (["failed"] as const) : []), ...(unknown ? (["unknown"] as const) : [])];
    const result = [...(failed ? ["failed"] : []), ...(unknown ? ["has an unknown outcome"] : [])].join(
      " or ",
    );
    const mark = async () => {
      if ((await readKnown(diskFiles, out)).shard === undefined) {
        throw new NotFound(`${args.output} is not the output of a batch: its journal is missing or empty`, {
          request: null,
        });
      }
      // If the last run was killed, lines that were in flight get the outcome "unknown" first.
      await recoverBatch({ files: diskFiles, out, now, sleep });
      const known = await readKnown(diskFiles, out);
      const found = await idsWith(diskFiles, out, known, states);
      const missing = ids.filter((id) => !found.includes(id));
      if (missing.length > 0) {
        throw new UsageError(`no line that ${result} has the custom_id ${missing.join(", ")}`);
      }
      const again = ids.length > 0 ? ids : found;
      if (!settings.dryRun && again.length > 0) {
        const { shard = null } = known;
        const batch = await openBatch({ files: diskFiles, out, known, shard, again, now, sleep });
        await batch.close();
      }
      if (again.length === 0) say(`No line ${result}.`);
      else if (settings.dryRun)
        say(`Lines that would be marked: ${again.length}. None was marked: this is a dry run.`);
      else say(`Lines to send: ${again.length}. Run the same \`gpuctl batch run\` again.`);
      return { data: again.map((id) => ({ custom_id: id })) };
    };
    return withBatchLock(out, { files, sleep }, mark);
  },
});
