import { type FlagValues, flag } from "../../../command-kit/flag.ts";
import { kebab } from "../../../command-kit/tree.ts";
import { UsageError } from "../../../core/errors.ts";
import { withoutUndefined } from "../../../core/json.ts";
import { faultDefaults, faultHeader } from "../../../core/sandbox.ts";
import { controlCommand, faultColumns } from "../control.ts";
import { callerFlag, keyFlag, whereFlag, whereOf } from "../requests/filter.ts";

const flags = {
  operation: flag.text("Operation to fail, by its ID in `gpuctl api spec`; * for all", {
    value: "OPERATION",
  }),
  where: whereFlag("Only calls with this value in the field, such as gpuType=b200"),
  caller: callerFlag("Only calls"),
  key: keyFlag("Only calls"),
  times: flag.number("Number of calls that fail", {
    defaultText: `${faultDefaults.times}, or no limit with --every or --rate`,
  }),
  after: flag.number("Number of calls that succeed first", { default: String(faultDefaults.after) }),
  every: flag.number("Only every Nth call fails"),
  rate: flag.number("Only this share of the calls fails, such as 0.02", { value: "SHARE" }),
  seed: flag.number("Seed for --rate: decides which calls fail", {
    defaultText: String(faultDefaults.seed),
  }),
  status: flag.number("Respond with this status, from 400 to 599", { value: "STATUS" }),
  code: flag.text("Code of the error, with --status", { value: "CODE" }),
  message: flag.text("Message of the error, with --status"),
  body: flag.text("Respond with this text, such as the HTML page of a proxy"),
  contentType: flag.text("Media type of --body, such as text/html", { value: "TYPE" }),
  retryAfter: flag.duration("Send a Retry-After header with this time"),
  delay: flag.duration("Delay the response by this much real time; the sandbox's clock does not matter"),
  reset: flag.boolean("Reset the connection"),
  cutStreamAfter: flag.number(
    "End the response after N events, or after N KiB if it is not a stream; with --reset, reset the connection there",
  ),
  stall: flag.boolean("With --cut-stream-after, keep the connection open there and send nothing more"),
  garbage: flag.boolean("Respond with a body that is not JSON"),
  applied: flag.boolean("Apply the operation before the fault"),
};

export default controlCommand({
  path: "sandbox fault add",
  summary: "Make calls to the sandbox fail",
  details: `Makes the next calls fail or, with only --delay, makes them slow. Which calls are affected is never random: with --rate, it depends only on --seed and the number of the call. Affected responses have the header ${faultHeader}.`,
  flags,
  view: { kind: "record", columns: faultColumns, id: ["id"] },
  examples: [
    {
      text: "Create the rental, then return a 500",
      command: "gpuctl sandbox fault add --operation createVirtualMachineRental --status 500 --applied",
    },
    {
      text: "Reject one test's next request for B200s, with the HTML page of a proxy",
      command:
        "gpuctl sandbox fault add --operation createVirtualMachineRental --where gpuType=b200 --caller test-7 --status 403 --body '<h1>Forbidden</h1>' --content-type text/html",
    },
    {
      text: "Rate-limit two list requests, each after 3 seconds",
      command:
        "gpuctl sandbox fault add --operation listVirtualMachineRentals --status 429 --times 2 --delay 3s",
    },
    {
      text: "Fail 2% of the chats, the same ones in every run",
      command: "gpuctl sandbox fault add --operation createChatCompletion --status 500 --rate 0.02 --seed 7",
    },
  ],
  buildInput: ({ flags }) => faultOf(flags),
  act: ({ faults }, { input }) => faults.add(input),
  dryRun: (_control, { input }) => input,
  nameOf: ([field = ""]) => `--${flagNames[field] ?? kebab(String(field))}`,
});

/** The flags whose names differ from the names of the fault's fields. */
const flagNames: Readonly<Record<string, string>> = { delayMs: "delay", retryAfterSeconds: "retry-after" };

function faultOf({ operation, where, delay, retryAfter, ...rest }: FlagValues<typeof flags>): object {
  if (operation === undefined) {
    throw new UsageError("--operation is required: an operation ID, or '*' for all");
  }
  const retryAfterSeconds = retryAfter === undefined ? undefined : retryAfter / 1000;
  const given = { operation, where: whereOf(where), ...rest, delayMs: delay, retryAfterSeconds };
  return withoutUndefined(given);
}
