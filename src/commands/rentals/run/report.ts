import { existsSync } from "node:fs";
import type { Context, Ports } from "../../../command-kit/context.ts";
import { leaseFileArgs } from "../../../command-kit/rentals/lease-file.ts";
import { Interrupted, LimitReached } from "../../../core/errors.ts";
import type { NextStep, Result } from "../../../core/result.ts";
import { commandLine } from "../../../core/text.ts";
import { duration, timeUnits } from "../../../core/values/durations.ts";
import { dollarNumber, dollarText, parseMoney } from "../../../core/values/money.ts";
import type { RecordView } from "../../../core/view.ts";
import type { JobOutcome } from "../../../jobs/attend.ts";
import { type Job, type Journal, jobRecord, logPath, stateOfJob } from "../../../jobs/journal.ts";
import type { LeasePlace } from "../../../jobs/leases.ts";
import { costOf, detachLease } from "./rent.ts";

/** How the result of a job is shown. In the format `table`, it is shown only if the job was left running. */
export const jobView: RecordView = {
  kind: "record",
  columns: [
    { title: "JOB", name: "id", paths: ["id"] },
    { title: "RENTAL", name: "rentalId", paths: ["rentalId"] },
    { title: "STATE", paths: ["state"] },
    { title: "STATUS", paths: ["status"] },
    { title: "COMMAND", paths: ["commandLine"] },
    { title: "COST", name: "estimatedCost", paths: ["estimatedCost"], format: "dollars" },
    { title: "LOG", paths: ["log"] },
  ],
  id: ["id"],
};

/**
 * Returns the result of a job that has ended or was left running. If it has ended, reports what the rental has cost.
 * @throws the reason why gpuctl stopped attending to the job early, or why the output of a successful job was not
 * written
 */
export function jobResult(
  journal: Journal,
  outcome: JobOutcome,
  { say, settings, setFailureContext, now, files, attendance }: Context & Pick<Ports, "attendance">,
): Result {
  const job = journal.job();
  const { id, rentalId, plan } = job;
  const copied = outcome.fetched.map(
    ({ path, to, files: count, bytes }) =>
      `Copied ${path} to ${to}: ${count} ${count === 1 ? "file" : "files"}, ${bytes} bytes.`,
  );
  for (const line of copied) say(line);
  const isLeft = job.phase !== "ended";
  const log = logPath(journal.folder);
  // A command that has printed nothing has no log.
  const output = !isLeft && existsSync(log) ? `Output: ${log}` : undefined;
  const report = isLeft
    ? `Job ${id} continues, and rental ${rentalId} is billed. \`gpuctl rentals jobs cancel ${id}\` ${plan.keep ? "stops the job" : "ends both"}.`
    : `${plan.keep ? keptText(job, files) : `Rental ${rentalId} has ended. It cost`} ${costText(job)}`;
  const isTable = settings.output === "table";
  // In formats other than `table`, a program may read only the error, so the failure context repeats the lines that
  // were printed before it.
  const uncopied = outcome.uncopied && `Warning: ${outcome.uncopied}.`;
  const toldAtFailure = isTable ? [report] : [...copied, uncopied, report, output];
  setFailureContext(toldAtFailure.filter(Boolean).join(" "), { evenIfUnread: true });
  // On a line of its own, so that the path can be copied.
  const sayOutput = () => output !== undefined && say(output);
  if (outcome.because !== undefined && isTable) sayOutput();
  if (outcome.because === "interrupted") throw new Interrupted();
  if (outcome.because === "canceled") throw new Interrupted(`job ${id} was canceled`);
  if (outcome.because === "limit") throw new LimitReached(`the command was stopped: ${job.limit} is reached`);
  if (outcome.because === "failure") throw outcome.failure;
  const state = stateOfJob({ ...job, process: isLeft ? "" : job.process }, files.processes.isRunning);
  const data = {
    ...jobRecord(job, isLeft ? "detached" : state),
    ...cost(job, now()),
    log,
    fetched: outcome.fetched,
  };
  if (isLeft) return { data, nextSteps: nextSteps(job) };
  const took = (job.endedAt ?? 0) - job.createdAt;
  // The clock may have been set back.
  const after = took > 0 ? ` after ${duration(took)}` : "";
  say(`Job ${id} exited with status ${outcome.status}${after}. ${report}`);
  sayOutput();
  const exitCode = outcome.status ?? 0;
  const unwritten = attendance.outputFailure();
  if (unwritten) {
    if (exitCode === 0) throw unwritten;
    say(`Warning: ${unwritten.message}.`);
  }
  return isTable ? { exitCode } : { data, exitCode };
}

interface Leaving {
  /** The lease to change if the job is left running; undefined if there is none. */
  readonly lease: LeasePlace | undefined;
  /** The length of the lease in milliseconds, if it is known. */
  readonly length?: number | undefined;
}

/** If no length is known, an error suggests a lease of this length, in milliseconds. */
export const usualLease = 8 * timeUnits[1].milliseconds;

/** Like `jobResult`, but if the job is left running, first makes its lease outlive this process. */
export async function leftResult(
  journal: Journal,
  outcome: JobOutcome,
  { lease, length = usualLease }: Leaving,
  context: Context & Pick<Ports, "attendance">,
): Promise<Result> {
  const job = journal.job();
  const failure =
    lease && job.phase !== "ended" && job.plan.detached
      ? await detachLease(lease, job, { length, files: context.files })
      : undefined;
  // Unless gpuctl detached from the job, `jobResult` throws another error, which would replace this failure.
  if (failure && outcome.because !== "detached") context.say(`Warning: ${failure.message}. ${failure.hint}`);
  return { ...jobResult(journal, outcome, context), ...(failure && { failure }) };
}

/** What happens to the rental of a job with `--keep`. The text ends before the cost, which `costText` adds. */
function keptText({ rentalId = "", leaseFile }: Job, files: Pick<Context["files"], "state">): string {
  const end =
    leaseFile === undefined
      ? `\`${commandLine("rentals terminate", [rentalId])}\` ends it`
      : `\`${commandLine("rentals guard", [], leaseFileArgs(leaseFile, files))}\` ends it when its lease is over`;
  return `Rental ${rentalId} was kept and is still billed; ${end}. So far, it has cost`;
}

function nextSteps({ id, rentalId = "", plan: { keep } }: Job): readonly NextStep[] {
  const end = keep ? "" : " and end the rental";
  return [
    { command: "rentals jobs logs --follow", args: [id], text: "follow its output" },
    {
      command: "rentals jobs attach",
      args: [id],
      text: keep ? "wait for it and copy results back" : `wait for it, copy results back${end}`,
    },
    { command: "rentals jobs cancel", args: [id], text: `stop it${end}` },
    ...(keep ? [{ command: "rentals terminate", args: [rentalId], text: "end its rental" }] : []),
  ];
}

/**
 * The seconds from the request for the rental until the job ended, or until now if it has not ended, and the estimated
 * cost of the rental in that time. Empty if the time is not known, for example because the clock was set back.
 */
function cost({ rentedAt, endedAt, hourlyCost }: Job, now: number) {
  if (rentedAt === undefined || (endedAt ?? now) < rentedAt) return {};
  const milliseconds = (endedAt ?? now) - rentedAt;
  const seconds = Math.round(milliseconds / 1000);
  if (hourlyCost === undefined) return { seconds };
  return {
    seconds,
    estimatedCost: dollarNumber(roundedUp(costOf(milliseconds, parseMoney(hourlyCost, "hourlyCost")))),
  };
}

const cent = parseMoney("0.01", "cent");
const roundedUp = (amount: bigint): bigint => ((amount + cent - 1n) / cent) * cent;

/** The cost of a rental that has ended or was kept, as the text that follows the word "cost". */
function costText(job: Job): string {
  const { rentedAt = 0, endedAt = 0, hourlyCost } = job;
  const hourly = hourlyCost === undefined ? undefined : parseMoney(hourlyCost, "hourlyCost");
  if (endedAt < rentedAt) {
    const price = hourly === undefined ? "a price that is not known" : `${dollarText(hourly)} an hour`;
    return `an unknown amount at ${price}: the clock of this machine was set back, so the time is not known.`;
  }
  const time = duration(endedAt - rentedAt);
  if (hourly === undefined) return `an unknown amount: ${time} at a price that is not known.`;
  return `about ${dollarText(roundedUp(costOf(endedAt - rentedAt, hourly)))}, an estimate: ${time} at ${dollarText(hourly)} an hour.`;
}
