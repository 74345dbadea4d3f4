import { arg } from "../../../command-kit/arg.ts";
import { valueAt } from "../../../core/json.ts";
import { engineKinds } from "../../../core/sandbox.ts";
import { controlCommand } from "../control.ts";

export default controlCommand({
  path: "sandbox engine clear",
  summary: "Remove an engine, or all of them",
  args: [arg.choice("KIND", "Engine to remove (default: all)", engineKinds)],
  view: { kind: "record", id: [] },
  examples: [
    {
      text: "Remove the chat engine",
      command: "gpuctl sandbox engine clear chat",
      after: ["gpuctl sandbox engine set chat http://127.0.0.1:11434"],
    },
    { text: "Remove all engines", command: "gpuctl sandbox engine clear" },
  ],
  act: async ({ engines }, { args: { kind } }) => ({ cleared: await engines.clear(kind) }),
  dryRun: async ({ engines }, { args: { kind } }) => {
    const all = await engines.list();
    return { wouldClear: all.filter((one) => kind === undefined || valueAt(one, "kind") === kind).length };
  },
});
