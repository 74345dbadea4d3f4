import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf, reasonOf, saveFailed, Unavailable } from "../core/errors.ts";
import { assertFile, writeDurableFile } from "../core/files.ts";
import { asList, asText, isRecord, parseJson, withoutUndefined } from "../core/json.ts";
import { quoted } from "../core/text.ts";

/** What a job does. It does not change once the job has begun. */
export interface JobPlan {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The folder that is copied to the rental. An absolute path. */
  readonly sync?: string | undefined;
  /** The paths to copy back: relative to the working folder of the command, or absolute. */
  readonly fetch: readonly string[];
  /** The folder to which the paths in `fetch` are copied. An absolute path. */
  readonly into: string;
  /** The names of the environment variables of the command. Their values are not stored. */
  readonly variables: readonly string[];
  /** Whether the rental is left running after the job. */
  readonly keep: boolean;
  /** Whether the command keeps running without gpuctl. */
  readonly detached: boolean;
  /** Milliseconds to wait until the rental can be reached. */
  readonly waitTimeout: number;
  /** When the command is stopped, in milliseconds after the request for the rental. */
  readonly timeLimit?: number | undefined;
  /** The cost of the rental at which the command is stopped, in dollars, as a decimal. */
  readonly maxCost?: string | undefined;
}

/**
 * - `creating`: the request for the rental may have been sent
 * - `starting`: the rental exists
 * - `running`: the command may have been started
 * - `ending`: the command has ended and its results are here, so only the rental has to end
 * - `ended`: nothing is left to do
 */
export type JobPhase = (typeof jobPhases)[number];
export const jobPhases = ["creating", "starting", "running", "ending", "ended"] as const;

/** The outcome of a canceled job, in words. */
export const canceledOutcome = "canceled";

/** A job as it is stored. Times are milliseconds since the epoch. */
export interface Job {
  /** Also the token of its lease, and a part of the label of its rental. */
  readonly id: string;
  /** The service of its rental: see `serviceName` in `leases.ts`. */
  readonly service: string;
  /** The label that the user gave. */
  readonly label?: string | undefined;
  /** The label of the rental. No other rental has it. */
  readonly rentalLabel: string;
  /** A hash of the command line, to recognize the job of a repeated command line. */
  readonly line: string;
  /** A hash of the values of the environment variables. The values themselves are not stored. */
  readonly values?: string | undefined;
  readonly plan: JobPlan;
  readonly phase: JobPhase;
  /**
   * Whether the command is known to have been started. Undefined in a job of an older gpuctl, which did not store this.
   */
  readonly started?: boolean | undefined;
  /** The process that is attached to the job, by its name in `Processes`. Empty if no process is attached. */
  readonly process: string;
  /** The process that cancels the job. Another process may be attached meanwhile. */
  readonly canceledBy?: string | undefined;
  readonly createdAt: number;
  readonly rentalId?: string | undefined;
  /**
   * The label in the service's response to the request for the rental. Later, gpuctl recognizes the rental by this
   * label.
   */
  readonly shownLabel?: string | undefined;
  /** When the request for the rental was sent. */
  readonly rentedAt?: number | undefined;
  /** The cost of the rental in dollars an hour, as a decimal. */
  readonly hourlyCost?: string | undefined;
  /** When a limit stops the command. `limit` names the limit, as in "the time limit of 2h". */
  readonly stopsAt?: number | undefined;
  readonly limit?: string | undefined;
  /** The lease file with the lease of the rental; undefined without a lease. */
  readonly leaseFile?: string | undefined;
  /** The exit status of the command. */
  readonly status?: number | undefined;
  readonly endedAt?: number | undefined;
  /** How the job ended, in words. */
  readonly outcome?: string | undefined;
}

/** The folder of the jobs, in the state folder. Each job has its own folder, named by its ID. */
const jobsFolder = (state: string): string => join(state, "jobs");

export const jobFolder = (state: string, id: string): string => join(jobsFolder(state), id);

const jobPath = (state: string, id: string): string => join(jobFolder(state, id), "job.json");

/** The file with the output that has arrived from one stream of a job's command. */
export const streamPath = (folder: string, stream: Stream): string => join(folder, stream);

/** The file with all output of a job, in the order in which it arrived. */
export const logPath = (folder: string): string => join(folder, "output.log");

const version = 1;

/** A stored job that can be changed. */
export interface Journal {
  readonly folder: string;
  readonly job: () => Job;
  /**
   * Stores changed fields. They are on the disk when this returns. If another process has already ended the job, stores
   * nothing. Throws `SaveFailed`.
   */
  readonly change: (fields: Partial<Job>) => void;
  readonly output: OutputFiles;
}

/** The output of a job, as far as it has arrived here. */
export interface OutputFiles {
  /** How many bytes of each stream have arrived. */
  readonly sizes: () => Readonly<Record<Stream, number>>;
  /** Whether all output that has arrived is stored. */
  readonly isStored: () => boolean;
  /** Throws `SaveFailed` when storing fails for the first time. After that, output is only counted. */
  readonly add: (stream: Stream, bytes: Uint8Array) => void;
}

export type Stream = "stdout" | "stderr";

/** Stores a job, whether or not it was stored before, and returns its journal. Throws `SaveFailed`. */
export function openJournal(state: string, job: Job): Journal {
  const journal = createJournal(state, job, (current) => current);
  journal.change({});
  return journal;
}

/**
 * Opens a job that is stored, without storing anything. A change keeps what another process has stored since the job
 * was read.
 */
export const sharedJournal = (state: string, job: Job): Journal =>
  createJournal(state, job, (current, stored) => stored ?? current);

/** `base` returns the fields that a change does not set. */
function createJournal(
  state: string,
  job: Job,
  base: (current: Job, stored: Job | undefined) => Job,
): Journal {
  let current = job;
  const folder = jobFolder(state, job.id);
  const path = jobPath(state, job.id);
  const save = () => {
    try {
      writeDurableFile(path, `${JSON.stringify({ version, ...withoutUndefined(current) }, null, 2)}\n`);
    } catch (error) {
      throw saveFailed(path, error);
    }
  };
  return {
    folder,
    job: () => current,
    change: (fields) => {
      const stored = storedJob(state, job.id);
      const others = stored === undefined || isUnreadable(stored) ? undefined : stored;
      if (others?.phase === "ended") {
        current = others;
        return;
      }
      current = { ...base(current, others), canceledBy: others?.canceledBy, ...fields };
      save();
    },
    output: outputFiles(folder),
  };
}

/** A journal that only reads a job. The job's folder must exist. Changes and output are not stored. */
export const viewJournal = (state: string, job: Job): Journal => ({
  folder: jobFolder(state, job.id),
  job: () => job,
  change: () => {},
  output: { sizes: () => ({ stdout: 0, stderr: 0 }), isStored: () => true, add: () => {} },
});

/**
 * Stores output in one file for each stream, and in a file with both streams. The size of a stream's file shows where
 * to continue that stream.
 */
function outputFiles(folder: string): OutputFiles {
  const pathOf = (stream: Stream) => streamPath(folder, stream);
  const sizeOf = (stream: Stream) => statSync(pathOf(stream), { throwIfNoEntry: false })?.size ?? 0;
  const sizes = { stdout: sizeOf("stdout"), stderr: sizeOf("stderr") };
  let isStored = true;
  return {
    sizes: () => sizes,
    isStored: () => isStored,
    add: (stream, bytes) => {
      sizes[stream] += bytes.length;
      if (!isStored) return;
      for (const path of [pathOf(stream), logPath(folder)]) {
        try {
          appendFileSync(path, bytes, { mode: 0o600 });
        } catch (error) {
          isStored = false;
          throw saveFailed(path, error);
        }
      }
    },
  };
}

/** The stored jobs. */
export interface StoredJobs {
  /** The oldest first. */
  readonly jobs: readonly Job[];
  readonly unreadable: readonly UnreadableJob[];
}

/** A stored job that cannot be read, for example because its file is damaged. It may have a rental that is billed. */
export interface UnreadableJob {
  readonly id: string;
  readonly folder: string;
  /** Undefined if it is not known. */
  readonly service?: string | undefined;
  readonly problem: string;
  /** What the user can do. */
  readonly hint: string;
}

/** The error for jobs that cannot be read. The hint begins with the consequence. */
export const unreadableError = (jobs: readonly UnreadableJob[], consequence = ""): Unavailable =>
  new Unavailable(
    jobs.map(({ problem }) => problem).join("; "),
    [...new Set([consequence, ...jobs.map(({ hint }) => hint)])].filter(Boolean).join(" "),
  );

/** All stored jobs. */
export function readJobs(state: string): StoredJobs {
  const folder = jobsFolder(state);
  let ids: readonly string[] = [];
  try {
    ids = readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { jobs: [], unreadable: [] };
    const { reason } = saveFailed(folder, error);
    const problem = `the jobs in ${folder} cannot be read: ${reason}`;
    const hint = codeOf(error) === "ENOTDIR" ? "Move the file away." : "Make the folder readable.";
    return { jobs: [], unreadable: [{ id: "", folder, problem, hint }] };
  }
  const jobs: Job[] = [];
  const unreadable: UnreadableJob[] = [];
  for (const id of ids) {
    const stored = storedJob(state, id);
    if (stored === undefined) continue;
    if (isUnreadable(stored)) unreadable.push(stored);
    else jobs.push(stored);
  }
  return { jobs: jobs.sort((one, other) => one.createdAt - other.createdAt), unreadable };
}

/** A stored job. Undefined if there is none. Throws `Unavailable` if it cannot be read. */
export function readJob(state: string, id: string): Job | undefined {
  const stored = storedJob(state, id);
  if (stored && isUnreadable(stored)) throw unreadableError([stored]);
  return stored;
}

export const isUnreadable = (stored: Job | UnreadableJob): stored is UnreadableJob => "problem" in stored;

const repairHint =
  "Repair job.json if you can. Otherwise, look at `gpuctl rentals list`: the label of the job's rental ends in the name of the folder. End the rental if it is active, then delete the folder.";

/** A stored job, even if it cannot be read. Undefined if there is none. */
export function storedJob(state: string, id: string): Job | UnreadableJob | undefined {
  const folder = jobFolder(state, id);
  const unreadable = (reason: string): UnreadableJob => ({
    id,
    folder,
    problem: `the job in ${folder} cannot be read: ${reason}`,
    hint: repairHint,
  });
  const path = jobPath(state, id);
  let text = "";
  try {
    assertFile(path);
    text = readFileSync(path, "utf8");
  } catch (error) {
    // A job is stored before anything is rented, so a folder without the file has no rental.
    return ["ENOENT", "ENOTDIR"].includes(codeOf(error)) ? undefined : unreadable(reasonOf(error));
  }
  const value = parseJson(text);
  if (isRecord(value) && typeof value.version === "number" && value.version > version) {
    return {
      ...unreadable(`it has format ${value.version}; this gpuctl reads format ${version}`),
      ...(typeof value.service === "string" && { service: value.service }),
      hint: "Update gpuctl.",
    };
  }
  return jobOf(id, value) ?? unreadable("job.json is damaged");
}

/** Parses the job of a folder. The name of the folder is the ID of the job. */
function jobOf(id: string, value: unknown): Job | undefined {
  if (!isRecord(value) || value.version !== version || value.id !== id) return undefined;
  const { plan } = value;
  const phase = jobPhases.find((one) => one === value.phase);
  const needed = [value.service, value.rentalLabel, value.line, value.process];
  if (phase === undefined || !isRecord(plan) || needed.some((one) => typeof one !== "string"))
    return undefined;
  const text = (name: string) => (typeof value[name] === "string" ? value[name] : undefined);
  const number = (of: Readonly<Record<string, unknown>>, name: string) =>
    typeof of[name] === "number" ? of[name] : undefined;
  const time = (name: string) => {
    const milliseconds = number(value, name);
    return Math.abs(milliseconds ?? 0) > maxTime ? undefined : milliseconds;
  };
  const texts = (list: unknown) => asList(list).filter((one) => typeof one === "string");
  return {
    id,
    service: asText(value.service),
    label: text("label"),
    rentalLabel: asText(value.rentalLabel),
    line: asText(value.line),
    values: text("values"),
    plan: {
      command: texts(plan.command),
      sync: typeof plan.sync === "string" ? plan.sync : undefined,
      fetch: texts(plan.fetch),
      into: asText(plan.into),
      variables: texts(plan.variables),
      keep: plan.keep === true,
      detached: plan.detached === true,
      waitTimeout: number(plan, "waitTimeout") ?? 0,
      timeLimit: number(plan, "timeLimit"),
      maxCost: typeof plan.maxCost === "string" ? plan.maxCost : undefined,
    },
    phase,
    started: typeof value.started === "boolean" ? value.started : undefined,
    process: asText(value.process),
    canceledBy: text("canceledBy"),
    createdAt: time("createdAt") ?? 0,
    rentalId: text("rentalId"),
    shownLabel: text("shownLabel"),
    rentedAt: time("rentedAt"),
    hourlyCost: text("hourlyCost"),
    stopsAt: time("stopsAt"),
    limit: text("limit"),
    leaseFile: text("leaseFile"),
    status: number(value, "status"),
    endedAt: time("endedAt"),
    outcome: text("outcome"),
  };
}

/**
 * Whether the command of a job was started, and its results are not here yet. Also true for a job of an older gpuctl
 * whose command may have been started.
 */
export const isUnderWay = ({ phase, started }: Job): boolean => phase === "running" && started !== false;

/**
 * The state that is shown for a job: its phase or, if the job has not ended and no process is attached, `detached` or
 * `unattended`.
 */
export const stateOfJob = (job: Job, isRunning: (process: string) => boolean): string => {
  if (job.phase === "ended" || isRunning(job.process)) return job.phase;
  return job.plan.detached && isUnderWay(job) ? "detached" : "unattended";
};

/** Fields of a job for JSON. */
export const jobRecord = (job: Job, state: string): Readonly<Record<string, unknown>> => {
  const {
    plan,
    line: _,
    values: __,
    process: ___,
    shownLabel: ____,
    canceledBy: _____,
    started: ______,
    createdAt,
    rentedAt,
    endedAt,
    stopsAt,
    ...rest
  } = job;
  return withoutUndefined({
    ...rest,
    state,
    command: plan.command,
    commandLine: plan.command.map(quoted).join(" "),
    detached: plan.detached,
    keep: plan.keep,
    createdAt: isoTime(createdAt),
    rentedAt: isoTime(rentedAt),
    endedAt: isoTime(endedAt),
    stopsAt: isoTime(stopsAt),
    plan: undefined,
    phase: undefined,
  });
};

/** The latest time that a `Date` and a job can hold, in milliseconds since the epoch. The earliest is its negative. */
export const maxTime = 8.64e15;

const isoTime = (milliseconds: number | undefined): string | undefined =>
  milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
