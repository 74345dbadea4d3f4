import { assertNotTerminated, getRental } from "../../../client/rentals/waiting.ts";
import { arg, rentalId } from "../../../command-kit/arg.ts";
import { defineCommand } from "../../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../../command-kit/examples.ts";
import { flag } from "../../../command-kit/flag.ts";
import { leaseFileFlag, leasePlace } from "../../../command-kit/rentals/lease-file.ts";
import { statesOf } from "../../../core/responses/rental.ts";
import { quoted } from "../../../core/text.ts";
import { assertLease } from "../../../core/values/durations.ts";
import { parseTime } from "../../../core/values/times.ts";
import { withDecision } from "../../../jobs/lease-round.ts";
import { changeLeases, type Lease, leaseRecord, newToken, serviceName } from "../../../jobs/leases.ts";
import { leaseEnd, oneLease, rentalOf, warnIfClocksDiffer } from "./place.ts";

export default defineCommand({
  path: "rentals lease set",
  summary: "Set when a rental should end, such as 2h from now",
  details:
    "Replaces the rental's lease if it has one. `gpuctl rentals guard` ends the rental when the lease is over.",
  operation: "getRental",
  args: [rentalId, arg.age("DURATION", "Time from now, such as 90m, 12h or 7d", { required: true })],
  fieldsWithoutFlag: ["rentalId"],
  flags: {
    note: flag.text("A note for people, such as what the rental is for"),
    ...leaseFileFlag,
  },
  view: oneLease,
  examples: examplesAfter(sandboxExamples.rental, [
    { text: "Set a rental to end in 2 hours", command: "gpuctl rentals lease set 1001 2h --sandbox" },
    {
      text: "Set a rental to end in 3 days, and note what it is for",
      command: "gpuctl rentals lease set 1001 3d --note 'training of the new model' --sandbox",
    },
  ]),
  run: async ({ input, args, flags, ...context }) => {
    assertLease(args.duration, "DURATION");
    const place = leasePlace(flags, context);
    const record = await getRental(input.rentalId, context);
    const { rentalId = input.rentalId, ...rental } = rentalOf(record);
    assertNotTerminated(rentalId, statesOf(record));
    const service = serviceName(context.settings);
    const lease: Lease = {
      token: newToken(),
      service,
      rentalId,
      ...rental,
      endsAt: leaseEnd(args.duration, context),
      startedAt: context.serviceNow(),
      by: "rentals lease set",
      note: flags.note,
    };
    const decided = { id: rentalId, label: rental.label, createdAt: parseTime(rental.rentalCreatedAt ?? "") };
    await changeLeases(place, ({ leases, ...rest }) => {
      const others = leases.filter((one) => one.service !== service || one.rentalId !== rentalId);
      return { ...rest, leases: [...withDecision(others, service, decided), lease] };
    });
    warnIfClocksDiffer(context);
    const file = place.ownFolder ? "" : ` --lease-file ${quoted(place.path)}`;
    return {
      data: leaseRecord(lease),
      nextSteps: [
        { command: `rentals guard --every 5m${file}`, args: [], text: "end the rental at that time" },
      ],
    };
  },
});
