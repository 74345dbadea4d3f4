import { arg } from "../../command-kit/arg.ts";
import type { Context, Ports } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import type { FlagValues } from "../../command-kit/flag.ts";
import { leaseFileArgs, leasePlace } from "../../command-kit/rentals/lease-file.ts";
import { SaveFailed, UsageError } from "../../core/errors.ts";
import type { Result } from "../../core/result.ts";
import { hostOf, pidOf } from "../../core/tasks/lock.ts";
import { commandLine, quoted } from "../../core/text.ts";
import { duration } from "../../core/values/durations.ts";
import { decimalText, dollarText } from "../../core/values/money.ts";
import { attend } from "../../jobs/attend.ts";
import { isUnderWay, type Job, type Journal, openJournal, unreadableError } from "../../jobs/journal.ts";
import { newToken, releaseLease, serviceName } from "../../jobs/leases.ts";
import { claimJob, leaveJob } from "../../jobs/watch.ts";
import { estimateCost } from "./cost.ts";
import { rentalQuestion, wantedBy, withinBurnOfProfile } from "./create/create.ts";
import { ownJobs, placeOf } from "./jobs/find.ts";
import { jobHost, releaseTimeout } from "./run/host.ts";
import {
  assertPrograms,
  checkRunFlags,
  hashOfValues,
  lineOf,
  nameOf,
  planOf,
  runFlags,
  variablesOf,
  warnOfPatterns,
} from "./run/options.ts";
import {
  adoptLease,
  assertCanEnd,
  assertHasRental,
  bindRental,
  costOf,
  findRental,
  type Input,
  jobType,
  knownPrice,
  nothingRented,
  type RentOptions,
  rent,
} from "./run/rent.ts";
import { jobView, leftResult } from "./run/report.ts";

export default defineCommand({
  path: "rentals run",
  summary: "Rent a virtual machine, run a command on it, and end the rental",
  details:
    "Waits until ssh answers, copies the --sync folder to the rental, runs the command and shows its output, copies the --fetch paths back, and ends the rental. If the connection is lost, the command continues, and gpuctl tries for 10 minutes to connect again. The rental ends after a success, a failure, a limit, Ctrl-C or a connection that cannot be restored, unless you use --keep. With --detach, gpuctl does not end the rental once the command has started. The rental's label is LABEL-JOB, where LABEL is the value of --label (default `gpuctl`) and JOB is the ID of the job. Exits with the exit status of the command. If gpuctl is killed, repeat the command line to resume the job; if you do not, `gpuctl rentals guard` ends the rental of a job without --keep. The command runs without a shell and without input; for pipes and redirections, use sh -c. See docs/jobs.md.",
  operation: "createVirtualMachineRental",
  alsoCalls: ["listVirtualMachineRentals", "getRental", "getActiveRentalSummary"],
  args: [
    arg.texts("COMMAND", "Program to run, after --, with its arguments", {
      required: true,
      isCommandLine: true,
    }),
  ],
  flags: runFlags,
  uses: ["attendance", "place", "preload", "programs", "startMachines", "typedFlags"],
  buildInput: async ({ input, flags, args, ...context }) => {
    // This check comes before the question, so that a mistake is reported before the user is asked.
    await assertCanRun(flags, args.command, context);
    return input;
  },
  check: ({ flags, args, ...context }) => assertCanRun(flags, args.command ?? [], context),
  offers: async (given) => (await import("./create/offers.ts")).rentalOffers(jobType, given),
  alsoAsks: ["sshPublicKeyIds"],
  withinLimits: (given, send) => withinBurnOfProfile(jobType, given, send),
  confirm: { spending: (given) => question(given) },
  view: jobView,
  examples: [
    {
      text: "Train, copy the results back, and spend at most about 5 dollars",
      command:
        "gpuctl rentals run --gpus 1 --sync . --fetch results --max-cost 5 --sandbox --dry-run -- python3 train.py --epochs 3",
    },
    {
      text: "Leave a command running for at most 8 hours",
      command: "gpuctl rentals run --gpus 8 --detach --lease 8h --sandbox --dry-run -- bash train.sh",
    },
  ],
  run: async ({ input, flags, args, attendance, preload, programs, startMachines, ...context }) => {
    const { files, settings } = context;
    const plan = await planOf(flags, args.command, context);
    const variables = variablesOf(flags, attendance);
    if (settings.dryRun) return showPlan({ input, flags, args, ...context });
    if (!plan.keep) await assertCanEnd(context);
    await assertPrograms({ programs }, plan);
    warnOfPatterns(plan, context);
    await preload("program");
    const machines = await startMachines();
    const place = plan.keep && flags.lease === undefined ? undefined : leasePlace(flags, context);
    return attendance.interruptible(async (stopped) => {
      const line = lineFor({ input, flags, args, ...context });
      const left = leftBehind(line, flags, context);
      if (left?.rentalId === undefined && unasked.has(input)) throw attendedElsewhere();
      // A resumed job keeps its price.
      const needsPrice = flags.maxCost !== undefined && left?.rentalId === undefined;
      const price = needsPrice ? await knownPrice(input, context) : undefined;
      let id = left?.id;
      const begin = (): Journal => {
        id = newToken();
        return openJournal(files.state, {
          id,
          service: serviceName(settings),
          label: input.label,
          rentalLabel: `${input.label ?? "gpuctl"}-${id}`,
          line,
          values: hashOfValues(flags.env, id),
          plan,
          phase: "creating",
          started: false,
          process: files.processes.self,
          createdAt: context.now(),
          ...(price !== undefined && { hourlyCost: decimalText(price) }),
          ...(place && { leaseFile: place.path }),
        });
      };
      try {
        const resumed = left && (await resume(left, context));
        const journal =
          resumed ?? (await rentFor(begin, { ...flags, input, place }, { ...context, stopped }));
        const lease = resumed ? placeOf(resumed.job(), context) : place;
        const host = jobHost({ ...context, attendance, programs }, { journal, machines, lease });
        const { rentalId = "" } = journal.job();
        context.setFailureContext(
          `Rental ${rentalId} may still be billed. \`${commandLine("rentals terminate", [rentalId], ["--yes"])}\` ends it.`,
          { evenIfUnread: true },
        );
        const outcome = await attend(journal, host, { stopped, variables });
        return await leftResult(journal, outcome, { lease, length: flags.lease }, { ...context, attendance });
      } finally {
        if (id !== undefined) await leaveJob(id, files);
      }
    });
  },
});

/** Throws `UsageError` for flags and a command that cannot work. */
async function assertCanRun(
  flags: FlagValues<typeof runFlags>,
  command: readonly string[],
  { attendance, ...context }: Context & Pick<Ports, "attendance">,
): Promise<void> {
  checkRunFlags(flags, command);
  await planOf(flags, command, context);
  variablesOf(flags, attendance);
}

type Given = Context &
  Pick<Ports, "place" | "typedFlags"> & {
    readonly input: Input;
    readonly flags: FlagValues<typeof runFlags>;
    readonly args: { readonly command: readonly string[] };
  };

/**
 * Identifies the command line. Uses only the flags that were typed: if a default changes in the configuration or the
 * environment, the same command line still resumes its job.
 */
const lineFor = ({ typedFlags, flags, args, settings, files }: Omit<Given, "place">): string =>
  lineOf(
    serviceName(settings),
    files.resolve("."),
    { ...sorted(typedFlags), env: [...new Set(flags.env.map(nameOf))].sort() },
    args.command,
  );

/** The values of flags, with sorted lists: the order of the values of a repeated flag does not matter. */
const sorted = (flags: Ports["typedFlags"]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [name, Array.isArray(value) ? value.toSorted() : value]),
  );

/**
 * The job to resume: the last unfinished job of the same command line whose gpuctl process no longer runs. A detached
 * job whose command is running does not count. Undefined if there is none. If there is none, or if its rental is not
 * known, throws in these cases:
 * - `UsageError` if a process that cannot be checked may be attached to a job of this command line
 * - `Unavailable` if a job cannot be read, because it may be a job of this command line
 */
const leftBehind = (
  line: string,
  { env }: Pick<FlagValues<typeof runFlags>, "env">,
  { files, settings }: Pick<Context, "files" | "settings">,
): Job | undefined => {
  const { self, isRunning, isHere } = files.processes;
  const { jobs, unreadable } = ownJobs({ files, settings });
  const open = jobs.filter(
    (job) =>
      job.line === line &&
      job.phase !== "ended" &&
      !(job.plan.detached && isUnderWay(job)) &&
      job.values === hashOfValues(env, job.id),
  );
  // The name of a process contains its host, its PID and, where that is known, its start time. Without the start time,
  // a killed process may have had the same name as this one: in a container, gpuctl may be PID 1 after each start.
  const left = open.findLast(({ process }) => process === self || !isRunning(process));
  const unknown = open.findLast(({ process }) => isRunning(process) && !isHere(process));
  if (unknown && left?.rentalId === undefined) throw mayBeAttended(unknown);
  if (unreadable.length > 0 && left?.rentalId === undefined) {
    throw unreadableError(
      unreadable,
      "Nothing was rented, because this command line may have started that job.",
    );
  }
  return left;
};

const mayBeAttended = ({ id, process }: Job): UsageError =>
  new UsageError(
    `this command line has started job ${id}, and process ${pidOf(process)} on ${hostOf(process)} may still be attached to it; this cannot be checked from here`,
    {
      hint: `Nothing was rented. If that process no longer runs, \`gpuctl rentals jobs attach ${id} --take-over\` resumes the job, and \`gpuctl rentals jobs cancel ${id}\` ends its rental. To start another job, use another --label.`,
    },
  );

/**
 * The inputs of resumed jobs with a known rental. The user did not confirm these inputs, so they must not be used to
 * rent.
 */
const unasked = new WeakSet<object>();

const attendedElsewhere = (): UsageError =>
  new UsageError("another gpuctl process has just resumed or ended the job of this command line", {
    hint: "Nothing was sent. `gpuctl rentals jobs list --all` shows the job.",
  });

/**
 * Takes over the job that this command line started and did not end. Returns undefined if its rental is not known and
 * cannot be found. Throws `UsageError` if another process takes over the job. The lease stays in the file that the job
 * recorded, even if GPUCTL_LEASE_FILE names another one by now: otherwise, a guard of the recorded file would end the
 * rental.
 */
async function resume(left: Job, context: Context): Promise<Journal | undefined> {
  const { files, say, setFailureContext, now, sleep } = context;
  const { id, rentalLabel, rentedAt, phase, plan } = left;
  const notResumed = "The job was not resumed. `gpuctl rentals jobs list` shows whether it has a rental.";
  const journal = await claimJob(id, files).catch((error: unknown) => {
    if (error instanceof SaveFailed) setFailureContext(notResumed);
    throw error;
  });
  if (journal?.job().phase !== phase) throw attendedElsewhere();
  const keeps = isUnderWay(left) && plan.variables.length > 0;
  say(
    phase === "ending"
      ? `Resuming job ${id}: its command exited with status ${left.status} and is not run again, but its rental was not ended.`
      : `Resuming job ${id}, which this command line started and did not end.${keeps ? " Its command keeps the values of --env that it started with." : ""}`,
  );
  setFailureContext(notResumed);
  await assertHasRental(journal, context);
  // `adopt` is called only once the rental is known: until then, the lease must name the killed process, so that a
  // guard ends the rental if it appears later.
  const place = placeOf(left, context);
  const adopt = async () => place && adoptLease(place, left);
  if (left.rentalId !== undefined) {
    await adopt();
    return journal;
  }
  for (let count = 1; rentedAt !== undefined && count <= lookUps; count += 1) {
    const record = await findRental(rentalLabel, context);
    if (record !== undefined) {
      await adopt();
      await bindRental(journal, record, { place }, context);
      return journal;
    }
    await sleep(lookUpPause);
  }
  // The lease is saved before the request is sent, so it may exist although nothing was rented.
  if (place && rentedAt === undefined) {
    await releaseLease({ ...place, timeout: releaseTimeout }, id).catch(() => {});
  }
  journal.change({ phase: "ended", endedAt: now(), outcome: "the service lists no rental for this job" });
  setFailureContext(undefined);
  const later = place
    ? `\`${commandLine("rentals guard", [], leaseFileArgs(place.path, files))}\` ends it`
    : "end it with `gpuctl rentals terminate`, because it has no lease";
  say(
    rentedAt === undefined
      ? "The job had not rented anything yet, so a new job starts."
      : `The service lists no rental with the job's label ${rentalLabel}, so a new job starts. If the rental appears later, ${later}.`,
  );
  return undefined;
}

/**
 * How many times to look up the rental of an interrupted request, and how many milliseconds to wait after each lookup.
 */
const lookUps = 3;
const lookUpPause = 2_000;

/** Starts a job and creates its rental. If it is certain that no rental was created, marks the job as ended. */
async function rentFor(
  begin: () => Journal,
  options: RentOptions,
  context: Context & { readonly stopped: AbortSignal },
): Promise<Journal> {
  if (context.stopped.aborted) throw nothingRented();
  const journal = begin();
  const record = await rent(journal, options, context).catch((error: unknown) => {
    const isUnknown = error instanceof Error && ["UnknownOutcome", "InterruptedWrite"].includes(error.name);
    if (!isUnknown) journal.change({ phase: "ended", endedAt: context.now(), outcome: "nothing was rented" });
    else context.setFailureContext(pendingText(journal.job(), context), { evenIfUnread: true });
    throw error;
  });
  await bindRental(journal, record, options, context);
  return journal;
}

/** What the user can do if it is not known whether the rental of a job was created. */
function pendingText({ id, leaseFile }: Job, { files }: Pick<Context, "files">): string {
  const resumes = `If you repeat the command line, gpuctl first looks for the rental of job ${id}.`;
  if (leaseFile === undefined) return resumes;
  const guard = commandLine("rentals guard", [], leaseFileArgs(leaseFile, files));
  return `${resumes} If the rental appears, \`${guard}\` ends it.`;
}

/**
 * The question before a rental is created, with its cost and limits. Undefined if a resumed job already has a known
 * rental. If its rental is not known, a resumed job may have to rent, so the user is asked.
 */
async function question({ flags, ...given }: Given): Promise<string | undefined> {
  if (leftBehind(lineFor({ flags, ...given }), flags, given)?.rentalId !== undefined) {
    unasked.add(given.input);
    return undefined;
  }
  const asked = await rentalQuestion(jobType, {
    ...given,
    flags: { ...flags, count: undefined, ifAbsent: false, wait: false },
  });
  const { keep, timeLimit, maxCost, detach } = flags;
  if (keep) return asked;
  const ends = detach ? "" : " It ends with the command";
  const price =
    timeLimit === undefined ? undefined : await estimateCost(wantedBy(jobType, given.input), given);
  const limits = [
    ...(timeLimit === undefined
      ? []
      : [
          `after ${duration(timeLimit)}${price ? ` (about ${dollarText(costOf(timeLimit, price.cost))})` : ""}`,
        ]),
    ...(maxCost === undefined ? [] : [`at about ${dollarText(maxCost)}`]),
  ];
  const latest = limits.length === 0 ? "" : `, or ${limits.join(" or ")}`;
  return `${asked}${ends}${ends && `${latest}.`}`;
}

/** In a dry run, shows the request and the steps that would follow it. */
async function showPlan({ input, flags, args, ...context }: Omit<Given, "place">): Promise<Result> {
  const { say, call } = context;
  const { sync, fetch, keep, detach } = flags;
  const steps = [
    "wait until ssh answers",
    ...(sync === undefined ? [] : [`copy ${sync} to the rental`]),
    `${detach ? "start" : "run"} ${args.command.map(quoted).join(" ")}`,
    ...(detach || fetch.length === 0 ? [] : [`copy back ${fetch.join(", ")}`]),
    ...(detach || keep ? [] : ["end the rental"]),
  ];
  say(`After this request, gpuctl would: ${steps.join("; ")}.`);
  const label = `${input.label ?? "gpuctl"}-JOB`;
  return { data: await call("createVirtualMachineRental", { ...input, label }) };
}
