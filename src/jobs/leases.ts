import { existsSync } from "node:fs";
import { open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import {
  codeOf,
  LockLost,
  reasonOf,
  SaveFailed,
  saveFailed,
  Unavailable,
  WaitedTooLong,
} from "../core/errors.ts";
import { makeFolderSync, readTextFile } from "../core/files.ts";
import { asRecord, isRecord, parseJson, withoutUndefined } from "../core/json.ts";
import { creationTolerance } from "../core/responses/rental.ts";
import { lockedUntil, type Processes } from "../core/tasks/lock.ts";
import { quoted } from "../core/text.ts";
import { duration } from "../core/values/durations.ts";
import { parseTime } from "../core/values/times.ts";

/**
 * When a rental should end. At that time, `rentals guard` ends the rental.
 *
 * The lease of a new rental is saved before the rental is created, and gets the ID of the rental from the response.
 * Until then it is pending. A lease stays pending if the outcome of the request for the rental is unknown, or if the
 * process that sent it was killed.
 */
export interface Lease {
  /** Identifies the lease, even before the ID of its rental is known. */
  readonly token: string;
  /** The service of the rental: see `serviceName`. */
  readonly service: string;
  /** Undefined while the lease is pending. */
  readonly rentalId?: string | undefined;
  readonly label?: string | undefined;
  /**
   * IDs of rentals that fit this pending lease, but whose own lease the user has set or removed. This lease never gets
   * one of these IDs: see `withBound`.
   */
  readonly notRentals?: readonly string[] | undefined;
  /** The rental's time of creation, as the service writes it. */
  readonly rentalCreatedAt?: string | undefined;
  /** When the rental should end, in milliseconds since the epoch. */
  readonly endsAt: number;
  /** When the lease was first saved, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The command that first saved the lease, such as `rentals create`. */
  readonly by: string;
  /** The process that creates or uses the rental, by its name in `Processes`. */
  readonly process?: string | undefined;
  /** The rental should also end as soon as the process no longer runs. */
  readonly endsWithProcess?: boolean | undefined;
  /**
   * With `endsWithProcess`: if the process ends before this time, the lease is over at this time or at `endsAt`,
   * whichever is earlier. In milliseconds since the epoch.
   */
  readonly keptUntil?: number | undefined;
  readonly note?: string | undefined;
}

/** Something that a guard has reported once and does not report again. */
export interface Notice {
  readonly service: string;
  /** The kind of the event, and what the event is about. */
  readonly event: string;
  /** The guard that saw the event. Other guards may not see the event, so they keep the notice for a day after `at`. */
  readonly by?: string | undefined;
  /** When the guard last saw the event, in milliseconds since the epoch. */
  readonly at?: number | undefined;
}

/** What a lease file holds. */
export interface Leases {
  readonly leases: readonly Lease[];
  readonly notices: readonly Notice[];
  /** Lines that cannot be read, such as a line that was cut off. They stay in the file. */
  readonly unreadable: readonly string[];
}

/** The lease file, and what is needed to change it. */
export interface LeasePlace {
  /** An absolute path. */
  readonly path: string;
  /**
   * Whether the file is the default one, in the state folder of gpuctl. That folder is created if it is missing. The
   * folder of any other file must exist.
   */
  readonly ownFolder: boolean;
  readonly processes: Processes;
  /** Pauses between two attempts to lock the file. Without this function, an interruption does not end the wait. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** Milliseconds to wait for another process that uses the leases. Default: 5 minutes. */
  readonly timeout?: number;
}

const format = "gpuctl-leases";

/** The version of the format. A file of another version is neither read nor changed. */
const version = 1;

/** The name of a service in leases: its base URL, or `sandbox` for the local sandbox. */
export const serviceName = ({
  sandbox,
  baseUrl,
}: {
  readonly sandbox: boolean;
  readonly baseUrl: string | undefined;
}): string => (sandbox ? "sandbox" : (baseUrl ?? "").replace(/\/+$/, ""));

/** A new token: 12 letters and digits. It is unique, so a label that contains it identifies a lease. */
export const newToken = (): string => crypto.randomUUID().replaceAll("-", "").slice(0, 12);

/**
 * Saves a pending lease. Call it right before the request that creates the rental is sent. Afterwards, call:
 * - `bindLease` when the rental's ID is known;
 * - `releaseLease` when it is certain that no rental was created;
 * - neither when the outcome is unknown.
 *
 * The lease is on the disk when this returns. Throws `SaveFailed`, `Unavailable` or `WaitedTooLong` if the lease could
 * not be saved. In that case, do not create the rental.
 *
 * `rentals guard` finds the rental of a pending lease by its label, which should therefore contain the token.
 */
export const beginLease = (place: LeasePlace, lease: Omit<Lease, "rentalId">): Promise<void> =>
  changeLeases(place, ({ leases, ...rest }) => ({ ...rest, leases: [...leases, lease] }));

type LeasedRental = { readonly rentalId: string } & Pick<Lease, "label" | "rentalCreatedAt">;

/** Gives a pending lease the ID of its rental, as `withBound` does. Throws the same errors as `beginLease`. */
export const bindLease = (place: LeasePlace, token: string, rental: LeasedRental): Promise<void> =>
  changeLeases(place, (all) => withBound(all, token, rental));

/**
 * Gives a lease the ID of its rental. If the user has meanwhile set or removed a lease of this rental, removes the
 * given lease instead. Otherwise, the rental would have two leases: it would end at the earlier time, and if the user
 * removed one lease, the other would still end it.
 */
export const withBound = (all: Leases, token: string, rental: LeasedRental): Leases => ({
  ...all,
  leases: all.leases.flatMap((lease) => {
    if (lease.token !== token) return [lease];
    if (isDecided(all, lease, rental)) return [];
    return [{ ...lease, ...withoutUndefined(rental), notRentals: undefined }];
  }),
});

/** Whether another lease has this rental, or the user has decided that this lease is not for the rental. */
export const isDecided = ({ leases }: Leases, lease: Lease, rental: LeasedRental): boolean =>
  lease.notRentals?.includes(rental.rentalId) ||
  leases.some(
    (one) =>
      one.token !== lease.token &&
      one.service === lease.service &&
      one.rentalId === rental.rentalId &&
      mayBeSame(one.rentalCreatedAt, rental.rentalCreatedAt),
  );

/**
 * Whether two rentals with the same ID may be the same rental, judging by their times of creation. A service that was
 * reset may use an ID again, and the lease of the earlier rental must not end the later rental.
 */
export function mayBeSame(first = "", second = ""): boolean {
  const [one, other] = [parseTime(first), parseTime(second)];
  return one === undefined || other === undefined || Math.abs(one - other) <= creationTolerance;
}

/** Removes a lease if it exists. Throws the same errors as `beginLease`. */
export const releaseLease = (place: LeasePlace, token: string): Promise<void> =>
  changeLease(place, token, () => undefined);

/** Replaces or removes a lease if it exists. Throws the same errors as `beginLease`. */
export const changeLease = (
  place: LeasePlace,
  token: string,
  change: (lease: Lease) => Lease | undefined,
): Promise<void> =>
  changeLeases(place, ({ leases, ...rest }) => ({
    ...rest,
    leases: leases.flatMap((lease) => (lease.token === token ? (change(lease) ?? []) : [lease])),
  }));

/**
 * Whether the rental should have ended: the end of the lease has passed or, with `endsWithProcess`, the process no
 * longer runs and `keptUntil` has passed.
 */
export const isOver = (lease: Lease, now: number, processes: Pick<Processes, "isRunning">): boolean =>
  now >= endOf(lease, processes);

/**
 * When the lease is over, as far as is known now: at `endsAt`. If the lease has `endsWithProcess` and the process no
 * longer runs, the lease is over at `keptUntil` if that is earlier, or at once if there is no `keptUntil`.
 */
export const endOf = (
  { endsAt, process, endsWithProcess, keptUntil = Number.NEGATIVE_INFINITY }: Lease,
  { isRunning }: Pick<Processes, "isRunning">,
): number => {
  const hasProcessEnded = endsWithProcess === true && process !== undefined && !isRunning(process);
  return hasProcessEnded ? Math.min(endsAt, keptUntil) : endsAt;
};

/** Changes the leases. If `change` returns undefined, changes nothing. Throws the same errors as `beginLease`. */
export const changeLeases = (
  place: LeasePlace,
  change: (leases: Leases) => Leases | undefined,
): Promise<void> =>
  whileLocked(place, async (leases, save) => {
    const changed = change(leases);
    if (changed !== undefined) await save(changed);
  });

/** In milliseconds. The timeout is long because the holder of the lock may be waiting for a service to end a rental. */
const lockTimes = { stale: 30_000, timeout: 300_000 };

/**
 * Runs `work` while no other process changes the leases. `work` gets the current leases, a function that saves changed
 * leases, and `assertHeld`. Call `assertHeld` right before a request that must not be sent if another process has taken
 * the lock. Do not catch a `LockLost` from `save` or `assertHeld`: it makes `whileLocked` start the work again. Throws
 * the same errors as `beginLease`.
 *
 * Works on a network file system: the lock is a folder, which is created atomically, and the file is replaced by
 * renaming. The lock is next to the file, so that taking the lock makes the file system read the folder again.
 */
export async function whileLocked<Value>(
  { path: given, ownFolder, processes, sleep, timeout = lockTimes.timeout }: LeasePlace,
  work: (
    leases: Leases,
    save: (changed: Leases) => Promise<void>,
    assertHeld: () => Promise<void>,
  ) => Promise<Value>,
): Promise<Value> {
  const path = await behindLink(given);
  try {
    if (ownFolder) makeFolderSync(dirname(path), 0o700);
    // With `/.`, this also fails if there is a file at the path of the folder.
    else await stat(`${dirname(path)}/.`);
  } catch (error) {
    throw saveFailed(path, error);
  }
  return lockedUntil(
    `${path}.holder`,
    async (assertHeld) => {
      const leases = await readLeases({ path, ownFolder });
      return work(leases, (changed) => write(path, changed, assertHeld), assertHeld);
    },
    { processes, ...(sleep && { sleep }), ...lockTimes, timeout, busy: isBusy(path, timeout) },
  ).catch((error: unknown) => {
    throw isAbout(error, path) ? saveFailed(path, error) : error;
  });
}

/**
 * The path of the file to lock and replace: the given path or, if it is a symbolic link, the path of its target, so
 * that the link is kept. Throws `Unavailable` if the target cannot be found, for example because its file system is not
 * mounted.
 */
async function behindLink(path: string): Promise<string> {
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined) return path;
  return realpath(path).catch((error: unknown) => {
    const reason = codeOf(error) === "ENOENT" ? "which does not exist" : reasonOf(error);
    throw new Unavailable(
      `the lease file ${path} is a symbolic link to ${target}, ${reason}`,
      "Mount the file system of the target. To create the file there, name the target itself with --lease-file or GPUCTL_LEASE_FILE.",
    );
  });
}

/** Whether an error comes from an operation on the lease file or on a file next to it. */
const isAbout = (error: unknown, path: string): boolean =>
  !(error instanceof SaveFailed) &&
  error instanceof Error &&
  "path" in error &&
  String(error.path).startsWith(path);

const isBusy =
  (path: string, timeout: number) =>
  (lockPath: string): WaitedTooLong =>
    new WaitedTooLong(
      `waited ${duration(timeout)} for another gpuctl process that uses the leases in ${path}`,
      `If no other gpuctl uses them, on any machine, delete the folder ${quoted(lockPath)}.`,
      { request: null },
    );

/**
 * Reads the leases. Returns no leases if there is no file. Throws `Unavailable` if the file cannot be read, is not a
 * lease file, has another version, or is a symbolic link to a missing file. Also throws if the folder of the file is
 * missing, because it may be on a share that is not mounted. Only gpuctl's own folder may be missing.
 */
export async function readLeases({
  path,
  ownFolder,
}: Pick<LeasePlace, "path" | "ownFolder">): Promise<Leases> {
  const file = await behindLink(path);
  const text = await readTextFile(file).catch((error: unknown) => {
    const isMissing = codeOf(error) === "ENOENT";
    const hasFolder = ownFolder || existsSync(dirname(file));
    if (isMissing && hasFolder) return undefined;
    throw new Unavailable(
      `the leases in ${path} cannot be read: ${isMissing ? "the folder does not exist" : reasonOf(error)}`,
      "To use another file, set --lease-file or GPUCTL_LEASE_FILE.",
    );
  });
  return text === undefined ? { leases: [], notices: [], unreadable: [] } : parseLeases(text, path);
}

function parseLeases(text: string, path: string): Leases {
  const [first = "", ...lines] = text.split("\n");
  const header = asRecord(parseJson(first));
  if (header.format !== format) {
    throw new Unavailable(
      `${path} is not a lease file, or its first line is damaged`,
      "Restore the file, or name another one with --lease-file or GPUCTL_LEASE_FILE. Until then, no lease in the file ends a rental.",
    );
  }
  if (header.version !== version) {
    throw new Unavailable(
      `${path} has format ${String(header.version)}; this gpuctl reads format ${version}`,
      "Update gpuctl. Until then, this gpuctl cannot change the leases, and its guard does not end rentals.",
    );
  }
  const leases: Lease[] = [];
  const notices: Notice[] = [];
  const unreadable: string[] = [];
  for (const line of lines.filter((one) => one !== "")) {
    const record = asRecord(parseJson(line));
    const [lease, notice] = [leaseOf(record.lease), noticeOf(record.notice)];
    if (lease) leases.push(lease);
    else if (notice) notices.push(notice);
    else unreadable.push(line);
  }
  return { leases, notices, unreadable };
}

function leaseOf(value: unknown): Lease | undefined {
  if (!isRecord(value)) return undefined;
  const { token, service, by } = value;
  const endsAt = Date.parse(String(value.endsAt));
  const startedAt = Date.parse(String(value.startedAt));
  if (!isText(token) || !isText(service) || Number.isNaN(endsAt) || Number.isNaN(startedAt)) return undefined;
  const optional = (name: string) => (isText(value[name]) ? value[name] : undefined);
  return {
    token,
    service,
    rentalId: optional("rentalId"),
    label: optional("label"),
    notRentals: Array.isArray(value.notRentals) ? value.notRentals.filter(isText) : undefined,
    rentalCreatedAt: optional("rentalCreatedAt"),
    endsAt,
    startedAt,
    by: isText(by) ? by : "",
    process: optional("process"),
    endsWithProcess: value.endsWithProcess === true || undefined,
    keptUntil: parseTime(optional("keptUntil") ?? ""),
    note: optional("note"),
  };
}

function noticeOf(value: unknown): Notice | undefined {
  if (!isRecord(value)) return undefined;
  const { service, event, by, at } = value;
  if (!isText(service) || !isText(event)) return undefined;
  return { service, event, ...(isText(by) && { by }), ...(typeof at === "number" && { at }) };
}

const isText = (value: unknown): value is string => typeof value === "string";

/** A lease as it is saved and printed: times in ISO 8601. */
export const leaseRecord = ({
  endsAt,
  startedAt,
  keptUntil,
  ...lease
}: Lease): Readonly<Record<string, unknown>> =>
  withoutUndefined({
    ...lease,
    endsAt: isoTime(endsAt),
    startedAt: isoTime(startedAt),
    keptUntil: keptUntil === undefined ? undefined : isoTime(keptUntil),
  });

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

const textOf = ({ leases, notices, unreadable }: Leases): string =>
  [
    JSON.stringify({ format, version }),
    ...leases.map((lease) => JSON.stringify({ lease: leaseRecord(lease) })),
    ...notices.map((notice) => JSON.stringify({ notice })),
    ...unreadable,
    "",
  ].join("\n");

/**
 * Replaces the file and keeps its mode. Only the user can read a new file. The leases are on the disk when this
 * returns.
 */
async function write(path: string, leases: Leases, assertHeld: () => Promise<void>): Promise<void> {
  const temporary = `${path}.${newToken()}`;
  try {
    const { mode } = await stat(path).catch(() => ({ mode: 0o600 }));
    const file = await open(temporary, "wx", mode & 0o777);
    try {
      await file.chmod(mode & 0o777);
      await file.writeFile(textOf(leases));
      await file.sync();
    } finally {
      await file.close();
    }
    await assertHeld();
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    throw error instanceof LockLost ? error : saveFailed(path, error);
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** Makes a rename survive a power loss, on systems where a folder can be flushed. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
