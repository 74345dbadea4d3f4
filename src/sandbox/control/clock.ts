import { type Clock, latestMs, stamp } from "../clock.ts";
import type { Store } from "../store.ts";
import { readClock, type StoredClock, saveClock } from "../tables/clock.ts";
import { refused } from "./refused.ts";

/** The sandbox's clock as it is told. */
export interface ClockShown {
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  readonly frozen: boolean;
  /** Milliseconds that a running clock is ahead of the machine's; null while it stands still. */
  readonly offsetMs: number | null;
}

/** Moves the sandbox's clock, which goes forward only. Each gives the clock as it is then. */
export interface ClockControl {
  show(): ClockShown;
  /** Stands still from now on; a clock that does so already is left alone. */
  freeze(): ClockShown;
  /** Runs on from where it stands. */
  resume(): ClockShown;
  /** Lets milliseconds pass; a clock that stands still stands still again. Throws `ControlRefused` beyond the year 9999. */
  advance(milliseconds: number): ClockShown;
  /** Goes to a moment, in milliseconds since 1970. Throws `ControlRefused` when that lies in the past or beyond 9999. */
  set(moment: number): ClockShown;
}

const read = ({ offsetMs, frozenAt }: StoredClock, machine: Clock): number =>
  frozenAt ?? machine() + offsetMs;

/** The one clock of a sandbox: what its file says, seen from the machine's clock. */
export const sandboxClock =
  (store: Store, machine: Clock): Clock =>
  () =>
    read(readClock(store), machine);

export function clockControl(store: Store, machine: Clock): ClockControl {
  const show = (): ClockShown => {
    const kept = readClock(store);
    const frozen = kept.frozenAt !== null;
    return { now: stamp(read(kept, machine)), frozen, offsetMs: frozen ? null : kept.offsetMs };
  };
  /** Changes the clock at once for every process that has the file open. */
  const change = (next: (now: number, kept: StoredClock) => StoredClock): ClockShown =>
    store.write(() => {
      const kept = readClock(store);
      saveClock(store, next(read(kept, machine), kept));
      return show();
    });
  const moved = ({ offsetMs, frozenAt }: StoredClock, by: number): StoredClock =>
    frozenAt === null ? { offsetMs: offsetMs + by, frozenAt } : { offsetMs, frozenAt: frozenAt + by };
  return {
    show,
    freeze: () => change((now, { offsetMs }) => ({ offsetMs, frozenAt: now })),
    resume: () => change((now) => ({ offsetMs: now - machine(), frozenAt: null })),
    advance: (milliseconds) =>
      change((now, kept) => {
        if (milliseconds < 0) throw refused("duration", forwardOnly(now));
        if (now + milliseconds > latestMs) throw refused("duration", tooFar);
        return moved(kept, milliseconds);
      }),
    set: (moment) =>
      change((now, kept) => {
        if (moment < now) throw refused("time", forwardOnly(now));
        if (moment > latestMs) throw refused("time", tooFar);
        return moved(kept, moment - now);
      }),
  };
}

const forwardOnly = (now: number): string =>
  `must not lead back: the sandbox's clock goes forward only, and it is ${stamp(now)}`;
const tooFar = `must not lead beyond ${stamp(latestMs)}`;
