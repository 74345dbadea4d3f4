import { arg } from "../../../command-kit/arg.ts";
import type { Context } from "../../../command-kit/context.ts";
import { NotFound, UsageError } from "../../../core/errors.ts";
import type { ListView } from "../../../core/view.ts";
import { type Job, readJobs, type StoredJobs, unreadableError } from "../../../jobs/journal.ts";
import { type LeasePlace, serviceName } from "../../../jobs/leases.ts";

export const jobArg = arg.text(
  "JOB",
  "ID of the job, or the label that it was given; by default, the last job",
);

export const jobList: ListView = {
  kind: "list",
  columns: [
    { title: "JOB", name: "id", paths: ["id"] },
    { title: "LABEL", paths: ["label"] },
    { title: "STATE", paths: ["state"] },
    { title: "RENTAL", name: "rentalId", paths: ["rentalId"] },
    { title: "STATUS", paths: ["status"], priority: 1 },
    { title: "COMMAND", paths: ["commandLine"], priority: 1 },
    { title: "STARTED", name: "createdAt", paths: ["createdAt"], format: "time", priority: 2 },
    { title: "OUTCOME", paths: ["outcome"], priority: 3 },
  ],
  empty: "No jobs.",
  id: ["id"],
};

/** The jobs of this service. Unreadable jobs are included unless they certainly belong to another service. */
export function ownJobs({ files, settings }: Pick<Context, "files" | "settings">): StoredJobs {
  const { jobs, unreadable } = readJobs(files.state);
  const own = serviceName(settings);
  return {
    jobs: jobs.filter(({ service }) => service === own),
    unreadable: unreadable.filter(({ service = own }) => service === own),
  };
}

/**
 * The last job for which `accepts` returns true. Throws `Unavailable` if a job cannot be read, because the user may
 * mean that job.
 */
export function lastJob(
  accepts: (job: Job) => boolean,
  context: Pick<Context, "files" | "settings">,
): Job | undefined {
  const { jobs, unreadable } = ownJobs(context);
  if (unreadable.length > 0) throw unreadableError(unreadable);
  return jobs.findLast(accepts);
}

/**
 * Finds a job by ID or label. If several jobs have the label, returns the only one that has not ended, or the last one
 * if all have ended. Throws `UsageError` if more than one has not ended, and `NotFound` if there is no such job. Throws
 * `Unavailable` if the user may mean a job that cannot be read.
 */
export function findJob(word: string, context: Pick<Context, "files" | "settings">): Job {
  const { jobs, unreadable } = ownJobs(context);
  const labelled = jobs.filter(({ label }) => label === word);
  const open = labelled.filter(isOpen);
  if (open.length > 1) {
    throw new UsageError(`${open.length} jobs have the label ${JSON.stringify(word)}`, {
      hint: `Use an ID: ${open.map(({ id }) => id).join(", ")}.`,
    });
  }
  const named = unreadable.filter(({ id }) => id === word);
  if (named.length > 0) throw unreadableError(named);
  const found = jobs.find(({ id }) => id === word) ?? open[0];
  if (found) return found;
  if (unreadable.length > 0) throw unreadableError(unreadable);
  const ended = labelled.at(-1);
  if (ended) return ended;
  throw new NotFound(`job ${word} not found`, {
    request: null,
    hint: "`gpuctl rentals jobs list --all` shows the jobs.",
  });
}

export const isOpen = ({ phase }: Job): boolean => phase !== "ended";

/** The result if there is no job. */
export const noJobs = { data: [], view: jobList };

/** The result if every job has ended. */
export const noOpenJobs = { data: [], view: { ...jobList, empty: "No unfinished jobs." } };

/** The lease file of a job that has a lease. */
export const placeOf = ({ leaseFile }: Job, { files }: Pick<Context, "files">): LeasePlace | undefined =>
  leaseFile === undefined ? undefined : { path: leaseFile, ownFolder: false, processes: files.processes };
