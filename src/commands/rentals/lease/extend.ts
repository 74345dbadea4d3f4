import { assertNotTerminated, getRental } from "../../../client/rentals/waiting.ts";
import { arg, rentalId } from "../../../command-kit/arg.ts";
import { defineCommand } from "../../../command-kit/define.ts";
import { leaseFileArgs, leaseFileFlag, leasePlace } from "../../../command-kit/rentals/lease-file.ts";
import { NotFound } from "../../../core/errors.ts";
import { statesOf } from "../../../core/responses/rental.ts";
import { commandLine } from "../../../core/text.ts";
import { assertLease } from "../../../core/values/durations.ts";
import { changeLeases, type Lease, leaseRecord, mayBeSame, serviceName } from "../../../jobs/leases.ts";
import { leaseEnd, oneLease, rentalOf, warnIfClocksDiffer } from "./place.ts";

const leased = "gpuctl rentals create vm --gpus 1 --label train --lease 2h --sandbox --yes";

export default defineCommand({
  path: "rentals lease extend",
  summary: "Let a rental run longer: add time to its lease",
  details:
    "Adds the time to the end of the lease. If the lease is already over, the time counts from now. If the lease also ends with the gpuctl process of a job (ENDS WITH PROCESS in `gpuctl rentals lease list`), the rental is kept for at least DURATION from now, even if that process ends earlier.",
  operation: "getRental",
  args: [rentalId, arg.age("DURATION", "Time to add, such as 90m, 12h or 7d", { required: true })],
  fieldsWithoutFlag: ["rentalId"],
  flags: leaseFileFlag,
  view: oneLease,
  examples: [
    {
      text: "Let a rental run an hour longer",
      command: "gpuctl rentals lease extend train 1h --sandbox",
      after: [leased],
    },
    {
      text: "Let a rental run a day longer, and print the lease as JSON",
      command: "gpuctl rentals lease extend 1001 1d -o json --sandbox",
      after: [leased],
    },
  ],
  run: async ({ input, args, flags, ...context }) => {
    assertLease(args.duration, "DURATION");
    const place = leasePlace(flags, context);
    const record = await getRental(input.rentalId, context);
    const { rentalId = input.rentalId, rentalCreatedAt } = rentalOf(record);
    assertNotTerminated(rentalId, statesOf(record));
    const service = serviceName(context.settings);
    let extended: Lease | undefined;
    await changeLeases(place, ({ leases, ...rest }) => {
      const lease = leases.find(
        (one) =>
          one.service === service &&
          one.rentalId === rentalId &&
          mayBeSame(one.rentalCreatedAt, rentalCreatedAt),
      );
      if (lease === undefined) {
        throw new NotFound(`rental ${rentalId} has no lease in ${place.path}`, {
          request: null,
          hint: `\`${commandLine("rentals lease set", [rentalId, "2h"], leaseFileArgs(place.path, context.files))}\` sets one. Nothing was changed.`,
        });
      }
      const fromNow = leaseEnd(args.duration, context);
      const next = {
        ...lease,
        endsAt: Math.max(lease.endsAt + args.duration, fromNow),
        ...(lease.endsWithProcess && {
          keptUntil: Math.max((lease.keptUntil ?? 0) + args.duration, fromNow),
        }),
      };
      extended = next;
      return { ...rest, leases: leases.map((one) => (one === lease ? next : one)) };
    });
    warnIfClocksDiffer(context);
    return { data: extended && leaseRecord(extended) };
  },
});
