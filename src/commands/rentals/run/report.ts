import type { Context } from "../../../command-kit/context.ts";
import { Interrupted, LimitReached } from "../../../core/errors.ts";
import type { NextStep, Result } from "../../../core/result.ts";
import { duration } from "../../../core/values/durations.ts";
import { dollarNumber, dollarText, parseMoney } from "../../../core/values/money.ts";
import type { RecordView } from "../../../core/view.ts";
import type { JobOutcome } from "../../../jobs/attend.ts";
import { type Job, type Journal, jobRecord, logPath, stateOfJob } from "../../../jobs/journal.ts";
import { costOf } from "./rent.ts";

/** How the result of a job is shown in output formats for programs, and in every format if the job is detached. */
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

/** Returns the result of a job, or throws the error that ended it early. Reports how long it took and what it cost. */
export function jobResult(
  journal: Journal,
  outcome: JobOutcome,
  { say, settings, setFailureContext, now, files }: Context,
): Result {
  const job = journal.job();
  const { id, rentalId, plan } = job;
  for (const { path, to, files: count, bytes } of outcome.fetched) {
    say(`Copied ${path} to ${to}: ${count} ${count === 1 ? "file" : "files"}, ${bytes} bytes.`);
  }
  const isLeft = job.phase !== "ended";
  const output = `Output: ${logPath(journal.folder)}`;
  const report = isLeft
    ? `Job ${id} goes on, and rental ${rentalId} is billed. \`gpuctl rentals jobs cancel ${id}\` ends both.`
    : `${plan.keep ? `Rental ${rentalId} was kept and is still billed.` : `Rental ${rentalId} has ended.`} ${costText(job)}`;
  setFailureContext(isLeft ? report : `${report} ${output}`);
  if (outcome.because === "interrupted") throw new Interrupted();
  if (outcome.because === "limit") throw new LimitReached(`the command was stopped: ${job.limit} is reached`);
  if (outcome.because === "failure") throw outcome.failure;
  const state = stateOfJob({ ...job, process: isLeft ? "" : job.process }, files.processes.isRunning);
  const data = {
    ...jobRecord(job, isLeft ? "detached" : state),
    ...cost(job, now()),
    log: logPath(journal.folder),
    fetched: outcome.fetched,
  };
  if (isLeft) return { data, nextSteps: nextSteps(job) };
  say(
    `Job ${id} exited with status ${outcome.status} after ${duration((job.endedAt ?? 0) - job.createdAt)}. ${report}`,
  );
  // On a line of its own, so that the path can be copied.
  say(output);
  const exitCode = outcome.status ?? 0;
  return settings.output === "table" ? { exitCode } : { data, exitCode };
}

const nextSteps = ({ id }: Job): readonly NextStep[] => [
  { command: "rentals jobs logs --follow", args: [id], text: "follow its output" },
  { command: "rentals jobs attach", args: [id], text: "wait for it, copy results back and end the rental" },
  { command: "rentals jobs cancel", args: [id], text: "stop it and end the rental" },
];

/** The estimated cost so far, from the time since the rental was requested. */
function cost({ rentedAt, endedAt, hourlyCost }: Job, now: number) {
  if (rentedAt === undefined) return {};
  const milliseconds = Math.max(0, (endedAt ?? now) - rentedAt);
  const seconds = Math.round(milliseconds / 1000);
  if (hourlyCost === undefined) return { seconds };
  return {
    seconds,
    estimatedCost: dollarNumber(roundedUp(costOf(milliseconds, parseMoney(hourlyCost, "hourlyCost")))),
  };
}

/** A whole cent. */
const cent = parseMoney("0.01", "cent");
const roundedUp = (amount: bigint): bigint => ((amount + cent - 1n) / cent) * cent;

function costText(job: Job): string {
  const { rentedAt = 0, endedAt = 0, hourlyCost } = job;
  const time = duration(endedAt - rentedAt);
  if (hourlyCost === undefined) return `It was rented for ${time}, at a price that is not known.`;
  const hourly = parseMoney(hourlyCost, "hourlyCost");
  return `It cost about ${dollarText(roundedUp(costOf(endedAt - rentedAt, hourly)))}, an estimate: ${time} at ${dollarText(hourly)} an hour.`;
}
