import { hasEnded, isEnding, rentalTypeOf } from "../../../client/rentals/type.ts";
import type { Context, Ports, SandboxMachines } from "../../../command-kit/context.ts";
import { leaseFileArgs } from "../../../command-kit/rentals/lease-file.ts";
import { Interrupted, reasonOf, StillBilled } from "../../../core/errors.ts";
import { asRecord } from "../../../core/json.ts";
import { assertIsRental, statesOf } from "../../../core/responses/rental.ts";
import { ServiceError, UnknownOutcome } from "../../../core/service-errors.ts";
import { commandLine } from "../../../core/text.ts";
import { type JobHost, missing, type RentalNow } from "../../../jobs/host.ts";
import { type Job, type Journal, jobFolder } from "../../../jobs/journal.ts";
import { type LeasePlace, releaseLease } from "../../../jobs/leases.ts";
import { isCanceled } from "../../../jobs/watch.ts";
import { sshAddresses } from "../../../output/ssh.ts";
import { endRental } from "../terminate/end.ts";
import { planRecord } from "../terminate/plan.ts";
import { isRentalOf, jobType } from "./rent.ts";

export type HostContext = Context & Pick<Ports, "programs" | "attendance">;

interface HostOptions {
  readonly journal: Journal;
  readonly machines: SandboxMachines | undefined;
  readonly lease: LeasePlace | undefined;
}

/** What a job needs from the service and from this machine. */
export function jobHost(context: HostContext, { journal, machines, lease }: HostOptions): JobHost {
  const { attendance, programs, now, sleep, say, progress, interrupted } = context;
  return {
    programs,
    now,
    sleep,
    say,
    progress,
    interrupted,
    guardLine: commandLine("rentals guard", [], lease ? leaseFileArgs(lease.path, context.files) : []),
    // In an output format for programs, stdout contains only the result. The log has the output of the command. If the
    // log cannot be written, the output goes to stderr, so that it is not lost.
    output: async (stream, bytes) => {
      const isShown = context.settings.output === "table" && (await attendance.output(stream, bytes));
      return isShown || (journal.output.isStored() ? isShown : attendance.output("stderr", bytes));
    },
    endOutput: attendance.endOutput,
    self: context.files.processes.self,
    lastKnown: {},
    isCanceled: () => isCanceled(journal.job().id, context.files),
    lookUp: async (rentalId, signal) => {
      const record: unknown = await context.call("getRental", { rentalId }, { signal });
      // A new rental may not be found yet.
      if (record === null) {
        const { phase } = journal.job();
        return {
          state: phase === "running" || phase === "ending" ? "missing" : "pending",
          target: undefined,
        };
      }
      if (!isRentalOf(journal.job(), record)) return { state: "other", target: undefined };
      assertIsRental(rentalId, record);
      return { state: stateFrom(statesOf(record)), target: targetOf(rentalId, record, machines) };
    },
    end: (rentalId) => endAndCheck(rentalId, journal.job(), context),
    release: async () => {
      // A lease that stays does no harm: a guard finds that its rental has ended.
      if (lease) await releaseLease({ ...lease, timeout: releaseTimeout }, journal.job().id).catch(() => {});
    },
  };
}

/** How long to wait at most for another process that uses the leases, in milliseconds. */
export const releaseTimeout = 10_000;

function stateFrom(states: readonly string[]): RentalNow["state"] {
  if (states.includes("terminated")) return "ended";
  if (states.includes("failed")) return "failed";
  return states.includes("running") ? "running" : "pending";
}

function targetOf(rentalId: string, record: unknown, machines: SandboxMachines | undefined) {
  const [address] = sshAddresses(record);
  return address && { ...address, options: machines?.sshOptions(Number(rentalId)) ?? [] };
}

/** The record of a rental of `rentals run`, with its type, which the service may leave out. */
const withJobType = (record: unknown): unknown =>
  rentalTypeOf(record) === undefined ? { ...asRecord(record), rentalType: jobType } : record;

/** The maximum number of requests to end a rental. A request is repeated only if the rental may still be active. */
const endAttempts = 3;

/** Milliseconds between two lookups of a rental that is ending, and the maximum number of lookups. */
const lookUpPause = 2_000;
const lookUps = 30;

/** The longest pause before another request to end a rental, in milliseconds. */
const longestPause = 60_000;

/**
 * Ends a rental, and looks it up until it has ended. After a failure, sends the request again unless a lookup shows
 * that the rental has ended. Ending a rental twice does no harm. If the rental may still be active, throws
 * `StillBilled`, or `Interrupted` after Ctrl-C.
 */
async function endAndCheck(rentalId: string, job: Job, context: HostContext): Promise<void> {
  let problem = "";
  for (let attempt = 1; attempt <= endAttempts; attempt += 1) {
    let pause = lookUpPause;
    try {
      const record: unknown = await context.call("getRental", { rentalId });
      if (!isRentalOf(job, record)) {
        // Replaces a failure context that tells the user to terminate the rental by its ID.
        context.setFailureContext(`Rental ${rentalId} was left alone.`, { evenIfUnread: true });
        throw new StillBilled(
          `rental ${rentalId} was not ended, because it no longer has the job's label ${job.shownLabel}`,
          "Check the rental with `gpuctl rentals list`.",
        );
      }
      // A rental that is not found may still be active: see `missing`.
      await endRental(await planRecord(rentalId, withJobType(record), context), context);
      if (await hasEndedSoon(rentalId, context)) return;
      problem = "the service accepted the request, but the rental is still active";
    } catch (error) {
      if (error instanceof StillBilled) throw error;
      if (context.interrupted.aborted) throw stillBilled(rentalId, "interrupted", context);
      problem = reasonOf(error);
      pause = Math.min(Math.max(askedPause(error), lookUpPause), longestPause);
      const record: unknown = await context.call("getRental", { rentalId }).catch(() => undefined);
      if (hasEnded(record)) return;
      const isOnItsWay = statesOf(record).some(isEnding);
      if (isOnItsWay && (await hasEndedSoon(rentalId, context).catch(() => false))) return;
      if (record === null) problem = missing(rentalId);
    }
    if (attempt < endAttempts) await context.sleep(pause).catch(() => {});
    if (context.interrupted.aborted) throw stillBilled(rentalId, "interrupted", context);
  }
  const error = stillBilled(rentalId, problem, context);
  if (problem !== missing(rentalId) || !(error instanceof StillBilled)) throw error;
  const folder = jobFolder(context.files.state, job.id);
  throw new StillBilled(
    error.message,
    `Use the API key of the account that created the rental. If the rental has ended, delete ${folder}, so that gpuctl forgets the job.`,
  );
}

/** How long the service asks to wait before the next request, in milliseconds; 0 if it does not say so. */
function askedPause(error: unknown): number {
  if (error instanceof UnknownOutcome) return error.reply?.retryAfter ?? 0;
  return error instanceof ServiceError ? (error.retryAfter ?? 0) : 0;
}

async function hasEndedSoon(rentalId: string, { call, sleep }: HostContext): Promise<boolean> {
  for (let count = 1; ; count += 1) {
    const record: unknown = await call("getRental", { rentalId });
    if (record === null || hasEnded(record)) return true;
    const isOnItsWay = statesOf(record).some(isEnding);
    if (count >= lookUps || (!isOnItsWay && count > 3)) return false;
    await sleep(lookUpPause);
  }
}

const stillBilled = (
  rentalId: string,
  problem: string,
  { interrupted, setFailureContext }: HostContext,
): Error => {
  const hint = `End rental ${rentalId} with \`${commandLine("rentals terminate", [rentalId], ["--yes"])}\`.`;
  if (interrupted.aborted) {
    // After Ctrl-C, this message is printed only in a list of failures, so the failure context has the same text.
    setFailureContext(`Rental ${rentalId} may still be billed. ${hint}`, { evenIfUnread: true });
    return new Interrupted(`interrupted: rental ${rentalId} was not ended and may still be billed. ${hint}`);
  }
  // The hint contains the same information as the failure context.
  setFailureContext("");
  return new StillBilled(`rental ${rentalId} may still be billed: it could not be ended (${problem})`, hint);
};
