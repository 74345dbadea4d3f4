import { arg } from "../../../command-kit/arg.ts";
import type { Context } from "../../../command-kit/context.ts";
import { defineCommand } from "../../../command-kit/define.ts";
import { leaseFileArgs, leaseFileFlag, leasePlace } from "../../../command-kit/rentals/lease-file.ts";
import { nothingDone } from "../../../command-kit/results.ts";
import { NotFound, UsageError } from "../../../core/errors.ts";
import { commandLine } from "../../../core/text.ts";
import { parseTime } from "../../../core/values/times.ts";
import { withDecision } from "../../../jobs/lease-round.ts";
import {
  changeLeases,
  type Lease,
  leaseRecord,
  mayBeSame,
  readLeases,
  serviceName,
} from "../../../jobs/leases.ts";
import { oneLease } from "./place.ts";

const leased = "gpuctl rentals create vm --gpus 1 --label train --lease 2h --sandbox --yes";

export default defineCommand({
  path: "rentals lease clear",
  summary: "Remove the lease of a rental, so that `rentals guard` does not end the rental",
  details:
    "Nothing is sent to the service, so this also works for a rental that has ended. If a lease has no rental ID yet, use its token, which `gpuctl rentals lease list` shows.",
  args: [
    arg.text("RENTAL", "ID or label of the rental, or the token of the lease", {
      required: true,
      completes: "rental",
    }),
  ],
  flags: leaseFileFlag,
  view: oneLease,
  examples: [
    {
      text: "Let a rental run until it is terminated",
      command: "gpuctl rentals lease clear 1001 --sandbox",
      after: [leased],
    },
    {
      text: "Remove the lease of a rental by its label",
      command: "gpuctl rentals lease clear nightly --sandbox",
      after: ["gpuctl rentals create vm --gpus 1 --label nightly --lease 2h --sandbox --yes"],
    },
  ],
  run: async ({ args, flags, ...context }) => {
    const place = leasePlace(flags, context);
    const service = serviceName(context.settings);
    const own = (await readLeases(place)).leases.filter((lease) => lease.service === service);
    const lease = leaseNamed(args.rental, own, place.path, context);
    if (context.settings.dryRun) context.say(nothingDone);
    else {
      const isOneLease = args.rental === lease.token;
      await changeLeases(place, ({ leases, ...rest }) => ({
        ...rest,
        leases: without(lease, leases, isOneLease),
      }));
      const rental = lease.rentalId === undefined ? "its rental" : `rental ${lease.rentalId}`;
      const consequence = `, so \`gpuctl rentals guard\` does not end ${rental}`;
      // If RENTAL is a token, the lease of a later rental that got the same ID stays, so a guard may still end a rental
      // with this ID. The message then leaves out the consequence.
      context.say(`Removed this lease${isOneLease && lease.rentalId !== undefined ? "" : consequence}.`);
    }
    return { data: leaseRecord(lease) };
  },
});

/**
 * Removes a lease. If it has a rental, no other lease in the file ends that rental afterwards. With `isOneLease`, keeps
 * the lease of a later rental that got the same ID after the service was reset.
 */
function without(cleared: Lease, leases: readonly Lease[], isOneLease: boolean): readonly Lease[] {
  const { token, service, rentalId, label, rentalCreatedAt } = cleared;
  const others = leases.filter((one) => one.token !== token);
  if (rentalId === undefined) return others;
  return withDecision(
    others.filter(
      (one) =>
        one.service !== service ||
        one.rentalId !== rentalId ||
        (isOneLease && !mayBeSame(one.rentalCreatedAt, rentalCreatedAt)),
    ),
    service,
    { id: rentalId, label, createdAt: parseTime(rentalCreatedAt ?? "") },
  );
}

/**
 * Finds a lease by its token, or by the ID or label of its rental. Throws `NotFound` if there is none, and `UsageError`
 * if several leases have the label. A lease whose `notRentals` has the rental of another of these leases does not
 * count.
 */
function leaseNamed(
  word: string,
  leases: readonly Lease[],
  path: string,
  { files }: Pick<Context, "files">,
): Lease {
  const byId = leases.find(({ rentalId, token }) => rentalId === word || token === word);
  const labelled = leases.filter(({ label }) => label === word);
  const [lease, ...others] = byId
    ? [byId]
    : labelled.filter(({ notRentals }) => !labelled.some((one) => notRentals?.includes(one.rentalId ?? "")));
  if (lease === undefined) {
    throw new NotFound(`no lease of ${JSON.stringify(word)} in ${path}`, {
      request: null,
      hint: `\`${commandLine("rentals lease list", [], leaseFileArgs(path, files))}\` shows the leases. Nothing was changed.`,
    });
  }
  if (others.length > 0) {
    const names = [lease, ...others].map(({ rentalId, token }) => rentalId ?? token);
    throw new UsageError(
      `RENTAL ${JSON.stringify(word)} is the label of ${names.length} leases: ${names.join(", ")}`,
      { hint: "Use one of these IDs or tokens. Nothing was changed." },
    );
  }
  return lease;
}
