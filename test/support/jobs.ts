import { type Job, openJournal } from "../../src/jobs/journal.ts";

/** Stores a job whose process was killed before it rented anything. */
export async function storeJob(state: string, job: Partial<Job>): Promise<Job> {
  const id = `job${job.service?.length ?? ""}`;
  return openJournal(state, {
    id,
    service: "sandbox",
    rentalLabel: `gpuctl-${id}`,
    line: "",
    plan: {
      command: ["sh", "train.sh"],
      fetch: [],
      into: state,
      variables: [],
      keep: false,
      detached: false,
      waitTimeout: 60_000,
    },
    phase: "creating",
    process: "a machine that is gone 1",
    createdAt: 0,
    ...job,
  }).job();
}
