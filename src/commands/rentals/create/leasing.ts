import { setTimeout } from "node:timers/promises";
import type { Context } from "../../../command-kit/context.ts";
import { leaseFileArgs } from "../../../command-kit/rentals/lease-file.ts";
import { Interrupted, LeaseNotStored, reasonOf } from "../../../core/errors.ts";
import { InterruptedWrite, UnknownOutcome } from "../../../core/service-errors.ts";
import { commandLine } from "../../../core/text.ts";
import { duration } from "../../../core/values/durations.ts";
import {
  beginLease,
  bindLease,
  type LeasePlace,
  newToken,
  releaseLease,
  serviceName,
} from "../../../jobs/leases.ts";
import { leaseEnd, rentalOf, warnIfClocksDiffer } from "../lease/place.ts";

/** Gives each rental a lease when it is created. */
export interface Leasing {
  /**
   * Saves a pending lease, then calls `create`, which sends the request. Removes the lease if no rental was created.
   * Keeps the lease if it is not known whether a rental was created. Throws as `beginLease` and `create` do.
   */
  readonly during: <Value>(label: string | undefined, create: () => Promise<Value>) => Promise<Value>;
  /**
   * Binds the lease that `during` saved last to the rental that `create` created. Returns the error if that is not
   * possible.
   */
  readonly bind: (rental: unknown) => Promise<LeaseNotStored | undefined>;
  /** The command line that sets the lease of a rental. */
  readonly commandFor: (rentalId: string) => string;
}

/** After waiting this many milliseconds for another process, gpuctl says that the rental was created. */
const quietWait = 1_000;

/**
 * Milliseconds to continue waiting for another process after Ctrl-C. Most processes change a lease in less time; a
 * guard that ends a rental may take minutes.
 */
const waitAfterInterrupt = 1_000;

/**
 * Returns a function that pauses between two attempts to lock the lease file after a rental was created. An
 * interruption ends the wait only after `waitAfterInterrupt`, because the rental should get its lease.
 */
function pauseFor(
  rentalId: string,
  { interrupted, say, sleep }: Context,
): (milliseconds: number) => Promise<void> {
  let waited = 0;
  let isSaid = false;
  let left = waitAfterInterrupt;
  return async (milliseconds) => {
    waited += milliseconds;
    if (waited > quietWait && !isSaid) {
      isSaid = true;
      say(
        `Rental ${rentalId} was created and is billed. Waiting to store its lease, because another gpuctl process uses the lease file; Ctrl-C ends the wait.`,
      );
    }
    if (!interrupted.aborted) return sleep(milliseconds).catch(() => {});
    if (left <= 0) throw new Interrupted("interrupted while another gpuctl process uses the leases");
    left -= milliseconds;
    await setTimeout(milliseconds);
  };
}

/** Creates leases that end this many milliseconds from now. */
export function leasing(milliseconds: number, place: LeasePlace, context: Context): Leasing {
  // After the request was sent, an interruption must not end the wait for the lock of the lease file.
  const { sleep: _, ...uninterrupted } = place;
  const setLine = (args: readonly string[]) =>
    `\`${commandLine("rentals lease set", args, leaseFileArgs(place.path, context.files))}\``;
  const commandFor = (rentalId: string) => setLine([rentalId, duration(milliseconds).replace(" ", "")]);
  let token = "";
  return {
    during: async (label, create) => {
      if (token === "") warnIfClocksDiffer(context);
      token = newToken();
      await beginLease(place, {
        token,
        service: serviceName(context.settings),
        label,
        endsAt: leaseEnd(milliseconds, context),
        startedAt: context.serviceNow(),
        by: "rentals create",
        process: place.processes.self,
      });
      try {
        return await create();
      } catch (error) {
        if (error instanceof UnknownOutcome || error instanceof InterruptedWrite) {
          context.say(
            label === undefined
              ? "If a rental was created, it has no lease, because gpuctl cannot recognize a rental without a label."
              : `If a rental was created, its lease is the one with the label ${JSON.stringify(label)}.`,
          );
        } else await releaseLease(uninterrupted, token).catch(() => {});
        throw error;
      }
    },
    bind: async (rental) => {
      const { rentalId, ...facts } = rentalOf(rental);
      if (rentalId === undefined) {
        return new LeaseNotStored(
          "a rental was created, but it has no lease: the response has no ID",
          `\`gpuctl rentals list\` shows the rental; ${setLine([])} sets a lease.`,
        );
      }
      try {
        const patient = { ...place, sleep: pauseFor(rentalId, context) };
        await bindLease(patient, token, { rentalId, ...facts });
        return undefined;
      } catch (error) {
        return new LeaseNotStored(
          `rental ${rentalId} was created, but its lease is not stored: ${reasonOf(error)}`,
          `${commandFor(rentalId)} sets the lease.`,
        );
      }
    },
    commandFor,
  };
}
