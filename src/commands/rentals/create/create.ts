import type { RentalType } from "../../../client/rentals/type.ts";
import { inState } from "../../../client/rentals/waiting.ts";
import type { Context } from "../../../command-kit/context.ts";
import { type FlagValues, flag } from "../../../command-kit/flag.ts";
import { createAndCheck, notDone, problemWithoutId } from "../../../command-kit/outcomes.ts";
import { leaseFileFlag, leasePlace } from "../../../command-kit/rentals/lease-file.ts";
import { labelOf } from "../../../command-kit/responses.ts";
import { routes } from "../../../contract/generated/routes.ts";
import type { InputOf } from "../../../contract/index.ts";
import {
  type FailedItem,
  Interrupted,
  LeaseNotStored,
  LockLost,
  NotTried,
  SomeFailed,
  UnexpectedResponse,
  UsageError,
} from "../../../core/errors.ts";
import { shownAt } from "../../../core/json.ts";
import { idOf } from "../../../core/responses/rental.ts";
import type { Result } from "../../../core/result.ts";
import {
  InterruptedWrite,
  NetworkError,
  ServiceError,
  UnknownOutcome,
} from "../../../core/service-errors.ts";
import { stopwatch } from "../../../core/tasks/steady-clock.ts";
import { assertLease, duration } from "../../../core/values/durations.ts";
import { parseMoney } from "../../../core/values/money.ts";
import type { Wanted } from "../cost.ts";
import { kinds, listActive, rowOf } from "../listing.ts";
import { activeRentals } from "../views.ts";
import { waitFor, waitTimeout } from "../waiting.ts";
import type { GrowingBurn } from "./burn.ts";
import { nextSteps } from "./next-steps.ts";

export const createFlags = {
  count: flag.integer("Create this many rentals; a label becomes LABEL-1, LABEL-2 and so on", {
    minimum: 1,
    maximum: 1_000,
  }),
  ifAbsent: flag.boolean(
    "If an active rental has the label, print that rental instead of creating one; requires --label",
  ),
  wait: flag.boolean("Wait until the rental is running"),
  waitTimeout,
  maxBurn: flag.dollars(
    "Do not create if the active rentals and the new ones would cost more than this, in dollars an hour",
  ),
  lease: flag.age(
    "Give the rental a lease of this length; `gpuctl rentals guard` ends the rental when the lease is over",
  ),
  ...leaseFileFlag,
};

/** What help says about the end of rentals, for commands that create them. */
export const endDetails =
  "With --lease, gpuctl saves when the rental should end. The rental ends at that time only if `gpuctl rentals guard` runs, on this machine or on another one that shares the file of --lease-file. The service itself can end a rental after its reserved term: with --no-convert-to-on-demand-on-expiry, the rental does not continue on demand. See docs/leases.md.";

type Input = InputOf<(typeof kinds)[RentalType]["create"]>;

interface Creation extends Context {
  readonly input: Input;
  readonly flags: FlagValues<typeof createFlags>;
}

/** Throws `UsageError` for `--if-absent` without a label, and for a lease of an invalid length. */
export function checkCreateFlags(
  { label }: { readonly label?: string | undefined },
  { ifAbsent, lease }: Pick<Creation["flags"], "ifAbsent" | "lease">,
): void {
  if (lease !== undefined) assertLease(lease, "--lease");
  if (ifAbsent && !label) throw new UsageError("--if-absent requires --label", { hint: "Nothing was sent." });
}

/** One rental to create. */
interface Item {
  /** For messages. */
  readonly name: string;
  readonly input: Input;
}

/** The rentals to create. With `--count`, each rental gets its own label if the input has a label. */
function itemsOf(input: Input, count: number | undefined): readonly Item[] {
  if (count === undefined) return [{ name: input.label ?? "the rental", input }];
  return Array.from({ length: count }, (_, at) => {
    const own = numbered(input, at + 1);
    return { name: own.label ?? `number ${at + 1}`, input: own };
  });
}

/** Appends a number to the labels of the rental and of its new volume. */
function numbered(input: Input, number: number): Input {
  const labelled = input.label === undefined ? input : { ...input, label: `${input.label}-${number}` };
  if (!("storageVolume" in labelled) || !labelled.storageVolume?.isNew) return labelled;
  const { storageVolume } = labelled;
  return { ...labelled, storageVolume: { ...storageVolume, label: `${storageVolume.label}-${number}` } };
}

/**
 * Creates one rental or several, and sends each request once. Creates none if the burn limit does not allow all of them
 * at their expected prices, and stops when their actual prices reach the limit. With `--if-absent`, skips a rental if
 * an active rental has its label. With `--wait`, waits until all are running.
 */
export async function createRentals(
  type: RentalType,
  { input, flags, ...context }: Creation,
): Promise<Result> {
  const items = itemsOf(input, flags.count);
  if (context.settings.dryRun) await showRequests(type, items, context);
  const { records, hasOlder, failures, unleased } = await createAll(type, items, flags, context);
  const notRunning = flags.wait ? await waitForAll(records, flags, context) : [];
  const ids = records.flatMap((record) => idOf(record) ?? []);
  const lease = hasOlder ? undefined : flags.lease;
  const steps = await nextSteps(ids, { ...flags, type, running: flags.wait, lease }, context);
  const [only] = records;
  const failed = [...failures, ...notRunning];
  const leaseFailure = failed.length === 0 ? leaseFailureOf(records, unleased, context) : undefined;
  if (flags.count === undefined) return { data: only, failure: leaseFailure, nextSteps: steps };
  const problem = [
    ...notDone(failures, "could not be created"),
    ...(notRunning.length > 0 ? ["are not running"] : []),
  ].join(" or ");
  const failure =
    failed.length === 0
      ? leaseFailure
      : new SomeFailed(`${failed.length} of ${items.length} rentals ${problem}`, {
          failures: failed,
          succeeded: records.length - notRunning.length,
        });
  if (failure && records.length === 0) throw failure;
  return {
    data: records,
    rows: records.map((record) => rowOf({ record, type })),
    view: activeRentals,
    failure,
    nextSteps: steps,
  };
}

/**
 * Shows the request for each item of a dry run. In a dry run, `call` records the request and then throws `DryRun`, so
 * this function makes all calls before it throws the first error.
 */
async function showRequests(
  type: RentalType,
  items: readonly Item[],
  { call }: Pick<Context, "call">,
): Promise<void> {
  const shown = items.map(({ input }) => call(kinds[type].create, input));
  await Promise.allSettled(shown);
  await Promise.all(shown);
}

interface Batch {
  /** The rentals that were created or found. */
  readonly records: unknown[];
  /** Whether some of them existed before. Their leases are not changed. */
  readonly hasOlder: boolean;
  readonly failures: readonly FailedItem[];
  /** Why leases of created rentals could not be stored. */
  readonly unleased: readonly LeaseNotStored[];
}

const createsVolume = (input: object): boolean => shownAt(input, ["storageVolume.isNew"]) === true;

/**
 * Creates rentals one after the other. If one fails, still tries the others, unless they would fail in the same way.
 * Without `--count`, throws the error instead. With `--max-burn` or `--if-absent`, holds a lock until it has tried all,
 * so that other processes of this user wait before they check a limit or a label.
 */
async function createAll(
  type: RentalType,
  items: readonly Item[],
  { count, ifAbsent, maxBurn, wait, lease, leaseFile }: Creation["flags"],
  context: Context,
): Promise<Batch> {
  const leases =
    lease === undefined
      ? undefined
      : (await import("./leasing.ts")).leasing(lease, leasePlace({ leaseFile }, context), context);
  const unleased: LeaseNotStored[] = [];
  const { setFailureContext, interrupted } = context;
  const checks = wait || context.settings.output === "id" ? { problemIn: problemWithoutId } : {};
  const done = new Map<Item, unknown>();
  const failures: (FailedItem & { readonly item: Item })[] = [];
  let hasCreated = false;
  let hasOlder = false;
  const left = () => items.filter((item) => !done.has(item) && !failures.some((one) => one.item === item));
  const createOne = async (item: Item, assertHeld: () => Promise<void>): Promise<void> => {
    const rental = await createAndCheck(
      "rental",
      () => {
        const create = async (): Promise<unknown> => {
          await assertHeld();
          return context.call(kinds[type].create, item.input, checks);
        };
        return leases ? leases.during(item.input.label, create) : create();
      },
      (options) => context.call(kinds[type].list, {}, options),
      context,
      createsVolume(item.input) ? (options) => context.call("listStorageVolumes", {}, options) : undefined,
    );
    done.set(item, rental);
    hasCreated = true;
    const problem = await leases?.bind(rental);
    if (problem) unleased.push(problem);
    const created = createdText([...done.values()]);
    if (done.size > 1) setFailureContext(created, { evenIfUnread: true });
    if (unleased.length > 0) setFailureContext([created, ...unleased.map(leaseText)].join(" "));
  };
  const work = async (assertHeld: () => Promise<void>): Promise<void> => {
    if (ifAbsent) {
      for (const [item, record] of await existing(left(), context)) {
        done.set(item, record);
        hasOlder = true;
        context.say(
          `Rental ${idOf(record)} already has the label ${JSON.stringify(item.input.label)}, so no new rental with this label was created.${leases ? ` Its lease was not set or changed. ${leases.commandFor(idOf(record) ?? "RENTAL")} sets it.` : ""}`,
        );
      }
    }
    const [first] = left();
    let burn: GrowingBurn | undefined;
    if (maxBurn !== undefined && first !== undefined) {
      const { assertWithinBurn, GrowingBurn } = await import("./burn.ts");
      const planned = { wanted: wantedBy(type, first.input), count: left().length };
      burn = new GrowingBurn(maxBurn, await assertWithinBurn(maxBurn, planned, context));
    }
    for (const item of left()) {
      try {
        await burn?.assertOneMore(context);
        await createOne(item, assertHeld);
        burn?.add(done.get(item));
      } catch (error) {
        if (error instanceof UnknownOutcome) burn?.add(undefined);
        if (count === undefined || error instanceof LockLost) throw error;
        const isInterrupted =
          interrupted.aborted && !(error instanceof InterruptedWrite || error instanceof UnknownOutcome);
        failures.push({ item, name: item.name, error: isInterrupted ? notSent() : error });
        if (!interrupted.aborted && !concernsAll(error)) continue;
        if (done.size === 0 && failures.length === 1 && !interrupted.aborted) throw error;
        const rest = interrupted.aborted ? notSent() : new NotTried(item.name, error);
        failures.push(...left().map((one) => ({ item: one, name: one.name, error: rest })));
        return;
      }
    }
  };
  const whileAlone = async (): Promise<void> => {
    const { exclusively } = await import("./lock.ts");
    await exclusively(context, work).catch((error: unknown) => {
      const [next, ...rest] = left();
      const isOnly = failures.length === 0 || failures.some((failed) => failed.error === error);
      if (next === undefined || (isOnly && !hasCreated)) throw error;
      // `work` lost the lock after it had sent a request, and could not start again. The rentals that it had created
      // must be reported.
      const reason = interrupted.aborted ? notSent() : error;
      const later = interrupted.aborted ? reason : new NotTried(next.name, error);
      failures.push({ item: next, name: next.name, error: reason });
      failures.push(...rest.map((one) => ({ item: one, name: one.name, error: later })));
    });
  };
  if (ifAbsent || maxBurn !== undefined) await whileAlone();
  else await work(async () => {});
  const records = items.flatMap((item) => (done.has(item) ? [done.get(item)] : []));
  return { records, hasOlder, failures, unleased };
}

/** What a failure says about the rentals that exist. */
function createdText(records: readonly unknown[]): string {
  const ids = records.map((record) => idOf(record) ?? "one without an ID");
  if (ids.length > 1) return `Rentals ${ids.join(", ")} exist and are billed. Do not create them again.`;
  const [id] = records.map(idOf);
  return `${id === undefined ? "The rental" : `Rental ${id}`} was created and is billed. Do not create it again.`;
}

/** What any later failure says about a lease that is not stored. */
const leaseText = ({ message, hint }: LeaseNotStored): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, "")}. ${hint}`;

/**
 * The failure of a command that did everything except store some leases. Its message is about the first of these
 * leases. The failure context, which is also printed if the result cannot be printed, does not repeat that message.
 */
function leaseFailureOf(
  records: readonly unknown[],
  [first, ...others]: readonly LeaseNotStored[],
  { setFailureContext }: Pick<Context, "setFailureContext">,
): LeaseNotStored | undefined {
  if (first === undefined) return undefined;
  const what = `${records.length === 1 ? "Its" : "A"} lease is not stored. ${first.hint}`;
  setFailureContext([createdText(records), what, ...others.map(leaseText)].join(" "));
  return new LeaseNotStored(first.message, "");
}

const notSent = () => new Interrupted("not sent, because of the interruption");

/** Whether the other requests would fail in the same way. */
const concernsAll = (error: unknown): boolean =>
  error instanceof ServiceError
    ? error.status === 401 || error.status === 403
    : !(error instanceof UnknownOutcome || error instanceof NetworkError);

/** The active rentals that have the label of an item. Throws if the active rentals cannot be listed completely. */
async function existing(
  items: readonly Item[],
  context: Pick<Context, "call" | "progress">,
): Promise<ReadonlyMap<Item, unknown>> {
  const listed = await context.progress("Looking for active rentals with the label", () =>
    listActive(context),
  );
  const entries = items.flatMap((item): [Item, unknown][] => {
    const found = listed.find(({ record }) => labelOf(record) === item.input.label);
    return found ? [[item, found.record]] : [];
  });
  return new Map(entries);
}

/**
 * The error for an existing rental without an ID. For a created rental, a missing ID is reported as an unknown outcome.
 */
const withoutId = () =>
  new UnexpectedResponse(
    "the rental has no ID in the service's list, so gpuctl cannot wait for it",
    "Nothing was created. `gpuctl rentals list` shows what the service lists.",
  );

/**
 * Waits until each rental is running, and replaces its record. Returns a failure for each rental that failed, ended,
 * did not run in time or could not be looked up. Without `--count`, throws the error instead.
 */
async function waitForAll(
  records: unknown[],
  { count, ifAbsent, waitTimeout: timeout }: Pick<Creation["flags"], "count" | "ifAbsent" | "waitTimeout">,
  context: Context,
): Promise<readonly FailedItem[]> {
  const { interrupted, now, say } = context;
  const ids = records.map(idOf);
  const known = ids.filter((id) => id !== undefined);
  if (known.length === 1)
    say(`Rental ${known[0]} ${ifAbsent ? "exists" : "created"}. Waiting until it is running.`);
  if (known.length > 1) say(`Waiting until rentals ${known.join(", ")} are running.`);
  const passed = stopwatch(now);
  const failures: FailedItem[] = [];
  for (const [at, rentalId] of ids.entries()) {
    try {
      if (rentalId === undefined) throw withoutId();
      if (interrupted.aborted) throw new Interrupted("not waited for, because of the interruption");
      const wait = {
        rentalId,
        ...inState("running"),
        timeout: Math.max(0, Math.round(timeout - passed())),
        isNew: true,
      };
      records[at] = await waitFor(wait, context);
    } catch (error) {
      if (count === undefined) throw error;
      const isInterrupted = interrupted.aborted && !(error instanceof Interrupted);
      failures.push({
        name: rentalId ?? "a rental without an ID",
        error: isInterrupted ? new Interrupted() : error,
      });
    }
  }
  return failures;
}

/**
 * Calls `send`, with which a command such as `api call` creates a rental. If the profile has a burn limit that does not
 * allow one more rental, throws `BudgetExceeded` instead.
 */
export async function withinBurnOfProfile<Value>(
  type: RentalType,
  { input, ...context }: Context & { readonly input: object },
  send: () => Promise<Value>,
): Promise<Value> {
  const { profile, profileValues, dryRun } = context.settings;
  const text = profileValues["budget.maxBurn"];
  if (text === undefined || dryRun) return send();
  const limit = parseMoney(text, `budget.maxBurn of profile "${profile}"`);
  const [{ assertWithinBurn }, { exclusively }] = await Promise.all([
    import("./burn.ts"),
    import("./lock.ts"),
  ]);
  return exclusively(context, async (assertHeld) => {
    await assertWithinBurn(limit, { wanted: wantedBy(type, input), count: 1 }, context);
    await assertHeld();
    return send();
  });
}

/** The rental that an input asks for, with the service's defaults for omitted fields. */
export function wantedBy(type: RentalType, input: object): Wanted {
  const given = new Map(Object.entries(input));
  const value = (name: string) =>
    String(
      given.get(name) ?? routes[kinds[type].create].fields.find((field) => field.name === name)?.default,
    );
  const [gpuType, termType, region] = [value("gpuType"), value("termType"), value("region")];
  return {
    type,
    gpuCount: Number(value("gpuCount")),
    gpuType,
    termType,
    region,
    networkType: value("networkType"),
  };
}

/** The question before rentals are created, with their cost. Undefined if all of them exist already. */
export async function rentalQuestion(
  type: RentalType,
  {
    input,
    flags,
    ...context
  }: Pick<Creation, "input" | "flags" | "call" | "describe" | "request" | "progress">,
): Promise<string | undefined> {
  const items = itemsOf(input, flags.count);
  const count = items.length - (flags.ifAbsent ? (await existing(items, context)).size : 0);
  if (count === 0) return undefined;
  const wanted = wantedBy(type, input);
  const { gpuCount, gpuType, region, termType } = wanted;
  const { estimateHourlyCost } = await import("../cost.ts");
  const cost = await estimateHourlyCost(wanted, count, context);
  const gpus = `${gpuCount} x ${gpuType}`;
  const it = count === 1 ? "It" : "They";
  return [
    count === 1
      ? `Rent ${kinds[type].text} with ${gpus} in ${region} (${termType})?`
      : `Rent ${count} ${kinds[type].plural} with ${gpus} each in ${region} (${termType})?`,
    cost === undefined ? "The price is not known in advance." : `${it} will cost ${cost}.`,
    count === 1 ? "It is billed until it ends." : "They are billed until they end.",
    ...(flags.lease === undefined
      ? []
      : [`\`gpuctl rentals guard\` ends ${count === 1 ? "it" : "them"} after ${duration(flags.lease)}.`]),
  ].join(" ");
}
