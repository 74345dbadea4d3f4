import { invalid } from "./errors.ts";
import type { Queries, Store } from "./store/queries.ts";

/** Returns milliseconds since 1970. One clock is used for all timestamps, billing and expiry in the sandbox. */
export type Clock = () => number;

/** The only place where the sandbox reads the computer's clock. */
export const machineClock: Clock = () => Date.now();

export const secondMs = 1000;
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The last second with a four-digit year. */
export const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59);

/** A moment in the service's format: ISO 8601, UTC, with milliseconds. */
export const stamp = (ms: number): string => new Date(ms).toISOString();

/** The first whole second at or after a moment. */
export const wholeSecond = (ms: number): number => Math.ceil(ms / secondMs) * secondMs;

/**
 * The sandbox's clock as stored: its offset from the computer's clock and, if it is frozen, its time. In milliseconds.
 */
interface StoredClock {
  readonly offsetMs: number;
  readonly frozenAt: number | null;
}

function readClock(store: Queries): StoredClock {
  const [row] = store.all("SELECT offsetMs, frozenAt FROM clock");
  if (!row) return { offsetMs: 0, frozenAt: null };
  return { offsetMs: Number(row.offsetMs), frozenAt: row.frozenAt === null ? null : Number(row.frozenAt) };
}

export function saveClock(store: Queries, { offsetMs, frozenAt }: StoredClock): void {
  store.run("INSERT OR REPLACE INTO clock (id, offsetMs, frozenAt) VALUES (1, ?, ?)", offsetMs, frozenAt);
}

/** The state of the sandbox's clock. */
export interface ClockState {
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  readonly frozen: boolean;
  /** How many milliseconds the sandbox's clock is ahead of the computer's; null while the sandbox's clock is frozen. */
  readonly offsetMs: number | null;
}

/** Controls the sandbox's clock. No method moves the clock backward. Every method returns the resulting state. */
export interface ClockControl {
  show(): ClockState;
  /** Stops the clock. Has no effect if the clock is already frozen. */
  freeze(): ClockState;
  /** Lets a frozen clock run again, from the time that it shows. */
  resume(): ClockState;
  /**
   * Moves the clock forward. A frozen clock stays frozen.
   * @throws ControlRefused if the number is negative, or if the new time is after the year 9999
   */
  advance(milliseconds: number): ClockState;
  /**
   * Moves the clock to a moment, in milliseconds since 1970.
   * @throws ControlRefused if the moment is before the clock's current time, or after the year 9999
   */
  set(moment: number): ClockState;
}

/** A running clock stops at `latestMs`. */
const read = ({ offsetMs, frozenAt }: StoredClock, machine: Clock): number =>
  frozenAt ?? Math.min(machine() + offsetMs, latestMs);

/**
 * The clock of a sandbox. Returns the time at which it is frozen or, if it runs, the computer's time plus its offset.
 */
export const sandboxClock =
  (store: Store, machine: Clock): Clock =>
  () =>
    read(readClock(store), machine);

export function clockControl(store: Store, machine: Clock): ClockControl {
  const show = (): ClockState => {
    const stored = readClock(store);
    const frozen = stored.frozenAt !== null;
    return { now: stamp(read(stored, machine)), frozen, offsetMs: frozen ? null : stored.offsetMs };
  };
  /** Changes the clock for every process that shares the state. */
  const change = (next: (now: number, stored: StoredClock) => StoredClock): ClockState =>
    store.write(() => {
      const stored = readClock(store);
      saveClock(store, next(read(stored, machine), stored));
      return show();
    });
  const move = (field: string, momentAfter: (now: number) => number): ClockState =>
    change((now, { offsetMs, frozenAt }) => {
      const moment = momentAfter(now);
      const backward = `must not move the clock backward: the sandbox's time is ${stamp(now)}`;
      if (moment < now) throw invalid(field, backward);
      if (moment > latestMs) throw invalid(field, `must not move the clock past ${stamp(latestMs)}`);
      return frozenAt === null
        ? { offsetMs: offsetMs + moment - now, frozenAt }
        : { offsetMs, frozenAt: moment };
    });
  return {
    show,
    freeze: () => change((now, { offsetMs }) => ({ offsetMs, frozenAt: now })),
    resume: () => change((now) => ({ offsetMs: now - machine(), frozenAt: null })),
    advance: (milliseconds) => move("duration", (now) => now + milliseconds),
    set: (moment) => move("time", () => moment),
  };
}
