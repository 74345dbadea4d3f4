import { flag } from "../../../command-kit/flag.ts";
import { kebab } from "../../../command-kit/tree.ts";
import { ExpectationFailed } from "../../../core/errors.ts";
import { withoutUndefined } from "../../../core/json.ts";
import { requestLog } from "../../../core/sandbox.ts";
import { controlCommand } from "../control.ts";
import { filterFlags, filterOf } from "./filter.ts";

const maximum = requestLog.kept;

export default controlCommand({
  path: "sandbox requests expect",
  summary: "Check which requests the sandbox received",
  details:
    "Exits 0 if the log has as many matching requests as expected, and 1 if not. If too few requests match, the error shows the closest ones and how each differs. If too many match, it shows the latest of them. Without --count, --at-least and --at-most, at least 1 request is expected.",
  flags: {
    ...filterFlags,
    count: flag.integer("Exactly this many requests", { minimum: 0, maximum }),
    atLeast: flag.integer("At least this many requests", { minimum: 0, maximum }),
    atMost: flag.integer("At most this many requests", { minimum: 0, maximum }),
  },
  view: { kind: "record", id: ["count"] },
  examples: [
    {
      text: "Check that one VM with an H100 was requested",
      command:
        "gpuctl sandbox requests expect --operation createVirtualMachineRental --where gpuType=h100 --count 1",
      after: ["gpuctl rentals create vm --gpu-type h100 --gpus 1 --sandbox --yes"],
    },
    {
      text: "Check that the sandbox returned no 5xx status",
      command: "gpuctl sandbox requests expect --status 5xx --count 0",
    },
  ],
  buildInput: ({ flags: { count, atLeast, atMost, ...filter } }) =>
    withoutUndefined({ ...filterOf(filter), count, atLeast, atMost }),
  act: async ({ requests }, { input }) => {
    const result = await requests.expect(input);
    if (!result.met) throw new ExpectationFailed(result);
    return { expected: result.expected, count: result.count };
  },
  nameOf: ([field = ""]) => `--${kebab(String(field))}`,
});
