import { arg } from "../../../command-kit/arg.ts";
import { type FlagValues, flag } from "../../../command-kit/flag.ts";
import { kebab } from "../../../command-kit/tree.ts";
import { gpuTypes, volumeRegions } from "../../../contract/enums.ts";
import { UsageError } from "../../../core/errors.ts";
import { withoutUndefined } from "../../../core/json.ts";
import { situationKinds } from "../../../core/sandbox.ts";
import { parseTime } from "../../../core/values/times.ts";
import { controlCommand, situationColumns } from "../control.ts";

const flags = {
  gpuType: flag.choice("capacity, quota: only this GPU type", gpuTypes),
  region: flag.choices("capacity: only these regions", volumeRegions, { value: "REGION" }),
  gpus: flag.number("capacity, quota: how many GPUs can be rented at the same time"),
  rental: flag.number("interruption, failure: only this rental", { value: "RENTAL" }),
  label: flag.text("interruption, failure: only rentals created with a matching label", { value: "GLOB" }),
  after: flag.duration(
    "interruption, failure: delay, counted from when the rental starts to run or, if it already runs, from now",
  ),
  at: flag.text("interruption, failure: when the rentals end or fail, ISO 8601", { value: "TIME" }),
  times: flag.number("interruption, failure: number of rentals that the situation applies to", {
    defaultText: "no limit",
  }),
  operation: flag.text("rate-limit: only calls of this operation", { value: "OPERATION" }),
  requests: flag.number("rate-limit: number of calls allowed in each window"),
  window: flag.duration("rate-limit: length of the window"),
  balance: flag.cents("prepaid: set the balance to this amount"),
};

export default controlCommand({
  path: "sandbox situation add",
  summary: "Add a situation of a real cloud, such as sold out GPUs",
  details:
    "`capacity`: a region has only --gpus GPUs of each type (default 0); if several `capacity` situations match, the oldest applies. `quota`: you can have only --gpus GPUs. `interruption`: running rentals end. `failure`: running rentals become Failed. `rate-limit`: after --requests calls, further calls get 429 until the --window is over. `prepaid`: when the balance is used up, rentals end, and new ones are refused. `picture-prices`: pictures are paid from the balance. `same-region`: a volume attaches only to rentals in its own region.",
  args: [arg.choice("KIND", "Kind of situation", situationKinds, { required: true })],
  flags,
  view: { kind: "record", columns: situationColumns, id: ["id"] },
  examples: [
    {
      text: "Sell out H100s in two regions",
      command:
        "gpuctl sandbox situation add capacity --gpu-type h100 --region us-central-1 --region us-east-1",
    },
    {
      text: "Interrupt rentals labeled nightly-* after 10 minutes",
      command: "gpuctl sandbox situation add interruption --label 'nightly-*' --after 10m",
    },
    {
      text: "Allow 30 calls a minute",
      command: "gpuctl sandbox situation add rate-limit --requests 30 --window 1m",
    },
  ],
  buildInput: ({ args: { kind }, flags }) => ({ kind, ...situationOf(flags) }),
  act: ({ situations }, { input }) => situations.add(input),
  dryRun: (_control, { input }) => input,
  nameOf: ([field = ""]) => (field === "kind" ? "KIND" : `--${flagNames[field] ?? kebab(String(field))}`),
});

/** The flags whose names differ from the names of the situation's fields. */
const flagNames: Readonly<Record<string, string>> = {
  regions: "region",
  rentalId: "rental",
  afterSeconds: "after",
  windowSeconds: "window",
  balanceCents: "balance",
};

const situationOf = ({
  region,
  rental,
  after,
  at,
  window: windowMs,
  balance,
  ...rest
}: FlagValues<typeof flags>): object => {
  const moment = at === undefined ? undefined : parseTime(at);
  if (at !== undefined && moment === undefined) {
    throw new UsageError(`--at must be a time such as 2026-12-31T00:00:00Z, not ${JSON.stringify(at)}`);
  }
  return withoutUndefined({
    ...rest,
    at: moment === undefined ? undefined : new Date(moment).toISOString(),
    regions: region?.length > 0 ? region : undefined,
    rentalId: rental,
    afterSeconds: after === undefined ? undefined : after / 1000,
    windowSeconds: windowMs === undefined ? undefined : windowMs / 1000,
    balanceCents: balance,
  });
};
