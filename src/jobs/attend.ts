import {
  Interrupted,
  NotFetched,
  RentalFailed,
  RentalUnreachable,
  reasonOf,
  SaveFailed,
  StillBilled,
  Unavailable,
  WaitedTooLong,
} from "../core/errors.ts";
import { stopwatch } from "../core/tasks/steady-clock.ts";
import { maxSilence, onRental } from "./connect.ts";
import { type CopyTools, copyBack, copyUp, type Fetched, hasUsableRsync } from "./copy.ts";
import type { JobHost } from "./host.ts";
import {
  canceledOutcome,
  isUnderWay,
  type Job,
  type JobPlan,
  type Journal,
  logPath,
  type Stream,
} from "./journal.ts";
import { followCommand, missingPaths, prepare, remoteState, startCommand, stopCommand } from "./remote.ts";
import { shownOutput } from "./shown-output.ts";
import { ConnectionLost, type Ssh } from "./ssh.ts";

/** How a job ended, or why gpuctl detached from it. */
export interface JobOutcome {
  /** The exit status of the command; undefined if it has none, or if it is not known. */
  readonly status?: number | undefined;
  readonly fetched: readonly Fetched[];
  /** Which part of the output did not arrive, in words. */
  readonly unreceived?: string;
  /** What was not copied back, in words. Undefined if the message of `failure` says it. */
  readonly uncopied?: string;
  /**
   * Why the job ended early: a limit, Ctrl-C, `rentals jobs cancel` or a failure. With `detached`, only gpuctl ends,
   * and the job continues. A detached job whose command has started also continues after Ctrl-C, and if gpuctl cannot
   * reach the rental.
   */
  readonly because?: "limit" | "interrupted" | "canceled" | "failure" | "detached";
  readonly failure?: unknown;
}

/** What is known about a command that no longer runs. */
type Ended = Pick<JobOutcome, "status" | "unreceived" | "because" | "failure">;

interface Attending {
  /**
   * Aborted to end the job early: the command is stopped, and the rental is ended unless it is kept. A detached job
   * whose command has started continues instead.
   */
  readonly stopped: AbortSignal;
  /** Environment variables of the command. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Time limit for stopping the command before the rental is ended, in milliseconds. */
const stopTimeout = 30_000;

/**
 * The longest sleep between two checks of a limit, in milliseconds. Timers stop while this computer is suspended, but
 * the rental is still billed.
 */
const limitCheck = 30_000;

/** How many times to try a copy that fails although the rental can be reached. */
const copyAttempts = 5;

/**
 * How many times in a row to ask in vain for the missing output of a command that has ended. The limit is needed
 * because a rental may report more output than it has.
 */
const outputAttempts = 10;

/** Milliseconds between two requests for missing output. */
const outputPause = 3_000;

/**
 * Does the remaining steps of a job whose rental exists: waits for the rental, copies up, starts the command, passes on
 * its output, copies back and, unless the rental is kept, ends it. Can be called after an earlier run stopped at any of
 * these steps.
 *
 * If the rental cannot be ended, throws `StillBilled`, or `Interrupted` after Ctrl-C.
 */
export async function attend(journal: Journal, given: JobHost, attending: Attending): Promise<JobOutcome> {
  const { stopped } = attending;
  const { plan } = journal.job();
  if (journal.job().phase === "ending") {
    const done = storedOutcome(journal.job());
    await endRental(journal, given, done);
    return done;
  }
  const limits = limitsOf(journal, given, stopped);
  const unended = new AbortController();
  const shown = shownOutput(given, {
    ending: AbortSignal.any([limits.signal, unended.signal]),
    log: logPath(journal.folder),
    isLogged: journal.output.isStored,
  });
  const host = { ...given, output: shown.output };
  const steps = stepsOf(journal, host, limits.signal);
  let outcome: JobOutcome;
  try {
    outcome = await untilEnded(steps, journal, attending);
  } catch (failure) {
    outcome =
      limits.isReached() && !stopped.aborted ? { because: "limit", fetched: [] } : failed(failure, stopped);
  } finally {
    limits.cancel();
  }
  // The cancellation may have caused the failure, so the failure is not reported.
  if (host.isCanceled() || outcome.failure instanceof CanceledElsewhere)
    outcome = { status: outcome.status, because: "canceled", fetched: [] };
  await shown.endIfRead();
  // If the command of a detached job was not started, no one else starts it, so the rental must end. If the command was
  // started, neither Ctrl-C nor a connection problem of this computer ends the job.
  const isLeft = () =>
    plan.detached &&
    (outcome.because === "detached" ||
      outcome.because === "interrupted" ||
      (outcome.because === "failure" && isOutOfReach(outcome.failure))) &&
    isUnderWay(journal.job());
  if (isLeft()) {
    await shown.end();
    return outcome;
  }
  let command: "stopped" | "ended" | "unknown" = "stopped";
  if (outcome.because === "limit" || outcome.because === "interrupted") {
    host.say(
      outcome.because === "limit"
        ? `Stopping the command: ${journal.job().limit} is reached.`
        : interruptedText(plan),
    );
    command = await steps.stop(AbortSignal.any([host.interrupted, AbortSignal.timeout(stopTimeout)]));
  }
  // Copies the results back unless the job was interrupted, was canceled or failed. A command that vanished may have
  // written results, so they are copied back, too.
  if (
    outcome.because === undefined ||
    outcome.because === "limit" ||
    outcome.failure instanceof CommandVanished
  ) {
    const late = stepsOf(journal, host, stopped);
    const finish = async () => {
      // A command that could not be stopped may run long after the limit. Its results are copied only after it has
      // ended, so this waits until the rental can be reached, and stops the command.
      if (command === "unknown") command = await late.stopReached();
      if (command === "ended") {
        host.say("The command had already ended by itself.");
        outcome = { fetched: [] };
        outcome = { ...outcome, ...(await late.follow()) };
      }
      return late.results(outcome);
    };
    outcome = await finish().catch((failure: unknown) => {
      if (outcome.because === undefined || stopped.aborted)
        return { ...outcome, ...failed(failure, stopped) };
      const uncopied = `not everything was copied back: ${reasonOf(failure)}`;
      host.say(`Warning: ${uncopied}.`);
      return { ...outcome, uncopied };
    });
    if (isLeft()) {
      await shown.end();
      return outcome;
    }
  }
  if (plan.keep && command === "unknown") {
    host.say("Warning: the command could not be stopped. It may still be running on the rental.");
  }
  // A reader that is slow must not delay the end of the rental, or the error about a rental that is still billed.
  await endRental(journal, host, outcome)
    .catch((error: unknown) => {
      unended.abort();
      throw error;
    })
    .finally(shown.end);
  return outcome;
}

/** Whether a failure may mean only that this computer cannot reach the rental. */
const isOutOfReach = (failure: unknown): boolean =>
  failure instanceof RentalUnreachable || failure instanceof WaitedTooLong || failure instanceof Unavailable;

const interruptedText = ({ keep }: JobPlan): string =>
  keep
    ? "Interrupted: stopping the command. The rental is kept. Press Ctrl-C again to exit without stopping the command."
    : "Interrupted: stopping the command and ending the rental. Press Ctrl-C again to exit without ending the rental.";

const failed = (failure: unknown, stopped: AbortSignal): JobOutcome =>
  stopped.aborted ? { because: "interrupted", fetched: [] } : { because: "failure", failure, fetched: [] };

/** Watches the limit of a job. `signal` is aborted when the job reaches its limit or is stopped. */
function limitsOf(journal: Journal, { now, sleep }: JobHost, stopped: AbortSignal) {
  const { stopsAt, rentedAt } = journal.job();
  const limit = new AbortController();
  const canceled = new AbortController();
  const wait = async (end: number) => {
    // Ends the wait even if this computer's clock is set back.
    const passed = stopwatch(now);
    const longest = end - Math.max(now(), rentedAt ?? 0);
    for (let left = longest; left > 0; left = longest - passed())
      await sleep(Math.min(left, limitCheck), canceled.signal);
    limit.abort();
  };
  if (stopsAt !== undefined) wait(stopsAt).catch(() => {});
  return {
    signal: AbortSignal.any([stopped, limit.signal]),
    isReached: () => limit.signal.aborted,
    cancel: () => canceled.abort(),
  };
}

/**
 * Starts the command unless an earlier run has started it. After starting the command of a detached job, returns at
 * once. Otherwise, passes on the output until the command ends.
 */
async function untilEnded(
  { start, follow }: ReturnType<typeof stepsOf>,
  journal: Journal,
  { variables }: Attending,
): Promise<JobOutcome> {
  const isNew = await start(variables);
  if (isNew && journal.job().plan.detached) return { because: "detached", fetched: [] };
  return { ...(await follow()), fetched: [] };
}

/** The steps of a job. Each may be repeated. */
function stepsOf(journal: Journal, host: JobHost, signal: AbortSignal) {
  const { plan, rentalId = "" } = journal.job();
  let last: Ssh | undefined;
  const on = <Value>(
    work: (ssh: Ssh) => Promise<Value>,
    { timeout = maxSilence, onRetry }: { timeout?: number; onRetry?: (problem: string) => void } = {},
  ) =>
    onRental(journal, host, { signal, timeout, ...(onRetry && { onRetry }) }, (ssh) => {
      last = ssh;
      return work(ssh);
    });
  const copyTools = async (ssh: Ssh): Promise<CopyTools> => {
    const { hasRsync } = await prepare(ssh, signal);
    const isUsable = hasRsync && (await hasUsableRsync(ssh, { ...host, signal }));
    return { ...host, tool: isUsable ? "rsync" : "scp", signal };
  };
  const store = (stream: Stream, bytes: Uint8Array) => {
    try {
      journal.output.add(stream, bytes);
    } catch (error) {
      if (!(error instanceof SaveFailed)) throw error;
      host.say(`Warning: ${error.message}. From now on, the output is not stored.`);
    }
  };
  const pass = (stream: Stream) => async (bytes: Uint8Array) => {
    store(stream, bytes);
    await host.output(stream, bytes);
  };

  const filesMissing = () => new RentalFailed(`the files of the job are missing on rental ${rentalId}`);
  const hasValues = (variables: Attending["variables"]) => plan.variables.every((name) => name in variables);

  /** Returns true if the command was started now, and false if it was started before. */
  async function start(variables: Attending["variables"]): Promise<boolean> {
    const waiting = `Waiting until rental ${rentalId} can be reached`;
    const first = await host.progress(waiting, (update) =>
      on((ssh) => remoteState(ssh, signal), {
        timeout: plan.waitTimeout,
        onRetry: (problem) => update(`${waiting}; ${problem}`),
      }),
    );
    const running = `Job ${journal.job().id} is running on rental ${rentalId}.`;
    if (first.command !== "not started") {
      if (first.command === "running") host.say(running);
      // The phase is not stored if the disk was full when the command started.
      const { phase, started } = journal.job();
      if (phase !== "running" || !started) change(journal, host, { phase: "running", started: true });
      return false;
    }
    const { phase, started = !hasValues(variables) } = journal.job();
    if (phase === "running") {
      // A command is never started twice, and never without the values of its variables.
      if (started) throw filesMissing();
      // An earlier run stored this phase, but was killed or lost the connection before the command started. So nothing
      // has run.
      change(journal, host, { phase: "starting" });
    }
    const { sync } = plan;
    if (sync !== undefined) {
      const copying = () => copied((ssh, tools) => copyUp(ssh, sync, tools));
      await host.progress(`Copying ${sync} to rental ${rentalId}`, copying).catch((error: unknown) => {
        if (!(error instanceof Lost)) throw error;
        throw new RentalUnreachable(`rental ${rentalId} cannot be used: ${error.message}`, "");
      });
    }
    await on(async (ssh) => {
      if (sync === undefined) await prepare(ssh, signal);
      change(journal, host, { phase: "running" });
      // The process that cancels the job does not stop a command that is not yet running.
      if (host.isCanceled()) throw new CanceledElsewhere();
      await startCommand(ssh, { command: plan.command, variables }, signal);
      if (host.isCanceled()) {
        await stopCommand(ssh, signal);
        throw new CanceledElsewhere();
      }
    });
    change(journal, host, { started: true });
    if (!plan.detached) host.say(running);
    return true;
  }

  /**
   * Passes on the output until the command has ended, and returns its exit status. If the command vanished, returns the
   * failure. With `mayBeUnstarted`, returns at once if the command has not been started.
   */
  async function follow({ mayBeUnstarted = false } = {}): Promise<Ended> {
    for (let emptyAttempts = 0; ; ) {
      const state = await on((ssh) => remoteState(ssh, signal));
      if (state.command === "not started") {
        if (mayBeUnstarted) return {};
        throw filesMissing();
      }
      const here = { ...journal.output.sizes() };
      const left =
        Math.max(0, state.sizes.stdout - here.stdout) + Math.max(0, state.sizes.stderr - here.stderr);
      const isDone = left === 0 || emptyAttempts >= outputAttempts;
      if (isDone && state.command !== "running") {
        const missed = left > 0 ? { unreceived: `${left} bytes of the output did not arrive` } : {};
        if (state.command === "ended") return { status: state.status, ...missed };
        return { because: "failure", failure: new CommandVanished(rentalId), ...missed };
      }
      // No pause after the first attempt that brings no output: a connection often ends when the command ends, before
      // the last output has arrived.
      if (emptyAttempts > 1) await host.sleep(outputPause, signal);
      try {
        const passing = { signal, onStdout: pass("stdout"), onStderr: pass("stderr") };
        await on((ssh) => followOnce(ssh, here, passing));
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Lost)) throw error;
        // Whether the command is still running is not known: the machine may have restarted.
        host.say(
          `The connection was lost: ${error.message.replace(/\.$/, "")}. That does not stop the command. Connecting again.`,
        );
      }
      const now = journal.output.sizes();
      const isEmpty = now.stdout === here.stdout && now.stderr === here.stderr;
      // A running command may print nothing for a long time, so attempts without output do not add up while it runs.
      const before = state.command === "running" ? Math.min(emptyAttempts, 1) : emptyAttempts;
      emptyAttempts = isEmpty ? before + 1 : 0;
    }
  }

  /**
   * Copies the results back. If the command succeeded, but a result or a part of its output did not arrive, the outcome
   * is a failure. Otherwise, a warning says what did not arrive.
   */
  async function results(before: JobOutcome): Promise<JobOutcome> {
    if (journal.job().phase !== "running") return before;
    const { unreceived } = before.because === "limit" ? await follow({ mayBeUnstarted: true }) : before;
    const fetched: Fetched[] = [];
    const problems = unreceived === undefined ? [] : [unreceived];
    if (plan.fetch.length > 0) {
      const missing = await on((ssh) => missingPaths(ssh, plan.fetch, signal));
      for (const path of plan.fetch) {
        if (missing.includes(path)) problems.push(`${path} does not exist on the rental`);
        else {
          await host
            .progress(`Copying ${path} from rental ${rentalId}`, () => fetchOne(path))
            .then((one) => fetched.push(one))
            .catch((error: unknown) => {
              signal.throwIfAborted();
              // The rental of a detached job stays, so the results can still be copied later.
              if (plan.detached && before.because === undefined && isOutOfReach(error)) throw error;
              problems.push(`${path}: ${reasonOf(error)}`);
            });
        }
      }
    }
    const outcome = { ...before, fetched };
    if (problems.length === 0) return outcome;
    const message = `not everything was copied back: ${problems.join("; ")}`;
    if (before.because === undefined && before.status === 0) {
      return { ...outcome, because: "failure", failure: new NotFetched(message) };
    }
    host.say(`Warning: ${message}.`);
    return { ...outcome, uncopied: message };
  }

  function fetchOne(path: string): Promise<Fetched> {
    const index = plan.fetch.indexOf(path);
    return copied((ssh, tools) => copyBack(ssh, { path, index, into: plan.into }, tools));
  }

  /**
   * Copies up or back. If `copy` throws a `ConnectionLost` of the kind `lost`, tries again, up to `copyAttempts` times
   * in all. Then throws `Lost`. Before each attempt, `onRental` waits for the rental with a new timeout.
   */
  async function copied<Value>(copy: (ssh: Ssh, tools: CopyTools) => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await on(async (ssh) => {
          const tools = await copyTools(ssh);
          return copy(ssh, tools).catch(asLost);
        });
      } catch (error) {
        if (!(error instanceof Lost) || attempt === copyAttempts) throw error;
      }
    }
  }

  return {
    start,
    follow,
    results,
    /** Stops the command if the rental can be reached. Returns `unknown` if the command may still be running. */
    stop: async (within: AbortSignal): Promise<"stopped" | "ended" | "unknown"> => {
      // Before the phase `running`, no command was started.
      if (journal.job().phase !== "running") return "stopped";
      // A resumed job may be stopped before this process has connected to the rental.
      const stopping = last
        ? stopCommand(last, within)
        : onRental(journal, host, { signal: within, timeout: 0 }, (ssh) => stopCommand(ssh, within));
      return stopping.catch(() => "unknown" as const);
    },
    /** Waits until the rental can be reached, and stops the command. Throws as `onRental` does. */
    stopReached: () => on((ssh) => stopCommand(ssh, signal)),
  };
}

/** The command neither runs nor has an exit status. Its results can still be copied back. */
class CommandVanished extends RentalFailed {
  constructor(rentalId: string) {
    super(
      `the command on rental ${rentalId} is no longer running and left no exit status; the machine may have restarted`,
    );
  }
}

/** Another process canceled the job while this process was starting the command. */
class CanceledElsewhere extends Error {}

/** A lost connection that `onRental` must not retry, because the caller itself decides how to continue. */
class Lost extends Error {}

const asLost = (error: unknown): never => {
  throw error instanceof ConnectionLost && error.kind === "lost" ? new Lost(error.message) : error;
};

const followOnce = (...args: Parameters<typeof followCommand>): Promise<void> =>
  followCommand(...args).catch(asLost);

/**
 * Stops the command of a job if its rental can be reached, and ends the rental unless it is kept. The journal is a
 * `sharedJournal`. If the rental cannot be ended, throws `StillBilled`. If the rental is kept and its command may still
 * be running, throws `RentalUnreachable`. After Ctrl-C, throws `Interrupted` instead of either.
 */
export async function cancel(journal: Journal, host: JobHost, stopped: AbortSignal): Promise<void> {
  const { rentalId, id, rentedAt, leaseFile } = journal.job();
  if (rentalId === undefined) {
    if (rentedAt === undefined) await host.release();
    else {
      const ends =
        leaseFile === undefined
          ? "It has no lease: if it appears, end it with `gpuctl rentals terminate`."
          : `The lease stays, so that \`${host.guardLine}\` ends the rental.`;
      host.say(
        `The service lists no rental for job ${id}. The rental may still appear, or it may belong to another account. ${ends}`,
      );
    }
    journal.change({
      phase: "ended",
      endedAt: host.now(),
      outcome: "canceled; the service lists no rental for this job",
    });
    return;
  }
  change(journal, host, { canceledBy: host.self, rentalId });
  // Reads the job after the cancellation is stored: a process that starts the command now sees the cancellation.
  const { phase, status, plan } = journal.job();
  if (phase === "ended") return;
  if (phase === "running") {
    const within = AbortSignal.any([stopped, AbortSignal.timeout(stopTimeout)]);
    const stopping = onRental(journal, host, { signal: within, timeout: 0 }, (ssh) =>
      stopCommand(ssh, within),
    );
    await host
      .progress("Stopping the command", () => stopping)
      .catch((error: unknown) => {
        if (!plan.keep || error instanceof RentalFailed) return;
        const problem = `the command of job ${id} could not be stopped`;
        const hint = `Rental ${rentalId} was kept, is still billed, and may still be running the command. Cancel the job again, or end the rental.`;
        if (!stopped.aborted) throw new RentalUnreachable(`${problem}: ${reasonOf(error)}`, hint);
        host.say(hint);
        throw new Interrupted(`interrupted: ${problem}`);
      });
  }
  // Keeps the exit status of a command that has ended: the next run needs the status if the rental cannot be ended now.
  await endRental(journal, host, { status, because: "canceled", fetched: [] });
}

/**
 * Passes on the output of a job from its rental, without storing it. Ends early if stdout cannot be written. Does not
 * change the job.
 */
export async function showRemoteLog(
  journal: Journal,
  host: JobHost,
  { stopped, follows }: { readonly stopped: AbortSignal; readonly follows: boolean },
): Promise<void> {
  const shown = { stdout: 0, stderr: 0 };
  const closed = new AbortController();
  const signal = AbortSignal.any([stopped, closed.signal]);
  const pass = (stream: Stream) => async (bytes: Uint8Array) => {
    shown[stream] += bytes.length;
    const isRead = await host.output(stream, bytes);
    if (isRead === false && stream === "stdout") closed.abort();
  };
  const passing = { signal, onStdout: pass("stdout"), onStderr: pass("stderr") };
  const timeout = journal.job().plan.waitTimeout;
  const reaching = { signal, timeout: follows ? timeout : 0 };
  await onRental(journal, host, reaching, async (ssh) => {
    if ((await remoteState(ssh, signal)).command === "not started") return;
    await followCommand(ssh, { ...shown }, { ...passing, follows });
    // The command has ended, but its last output may not have arrived yet.
    if (follows && !signal.aborted) await followCommand(ssh, { ...shown }, { ...passing, follows: false });
  }).catch((error: unknown) => {
    if (!closed.signal.aborted) throw error;
  });
  await host.endOutput();
}

async function endRental(journal: Journal, host: JobHost, outcome: JobOutcome): Promise<void> {
  const { plan, rentalId = "" } = journal.job();
  const { status } = outcome;
  if (!plan.keep) {
    if (outcome.because === undefined) {
      change(journal, host, { phase: "ending", status, outcome: outcomeText(outcome) });
    }
    try {
      await host.progress(`Ending rental ${rentalId}`, () => host.end(rentalId));
    } catch (error) {
      if (!(error instanceof StillBilled)) throw error;
      change(journal, host, { status, outcome: error.message });
      if (outcome.failure === undefined) throw error;
      const reason = reasonOf(outcome.failure);
      // The message may already contain the reason.
      throw error.message.includes(reason)
        ? error
        : new StillBilled(`${reason}; then ${error.message}`, error.hint);
    }
  }
  change(journal, host, { phase: "ended", status, endedAt: host.now(), outcome: outcomeText(outcome) });
  // The lease of a kept rental stays, so that a guard ends the rental at the time that the user set.
  if (!plan.keep) await host.release();
}

/**
 * Changes a job whose rental exists. If the change cannot be stored, only warns: the job must still copy its results
 * back and end its rental.
 */
function change(journal: Journal, { say }: JobHost, fields: Partial<Job>): void {
  try {
    journal.change(fields);
  } catch (error) {
    if (!(error instanceof SaveFailed)) throw error;
    say(`Warning: ${error.message}. gpuctl continues the job, but this change of its state is not stored.`);
  }
}

const endings = {
  limit: "stopped at its limit",
  interrupted: "interrupted",
  canceled: canceledOutcome,
} as const;
const exited = (status: number | undefined): string => `exited with status ${status}`;

function outcomeText({ status, because, failure }: JobOutcome): string {
  if (because === "limit" || because === "interrupted" || because === "canceled") return endings[because];
  if (failure !== undefined) return reasonOf(failure);
  return exited(status);
}

/** The stored outcome of a job in the phase `ending` or `ended`. */
export function storedOutcome({ id, phase, status, outcome = "" }: Job): JobOutcome {
  if (phase === "ending" || outcome === exited(status)) return { status, fetched: [] };
  const because = (["limit", "interrupted", "canceled"] as const).find((one) => endings[one] === outcome);
  return because
    ? { because, fetched: [] }
    : { because: "failure", failure: new RentalFailed(`job ${id} has ended: ${outcome}`), fetched: [] };
}
