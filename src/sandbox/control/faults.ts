import * as z from "zod";
import { servedOperations } from "../../contract/assumed/served.ts";
import { check, type Issue } from "../../contract/check.ts";
import { faultDefaults } from "../../contract/sandbox.ts";
import { nearest } from "../faults/nearest.ts";
import type { Store } from "../store.ts";
import { addFault, type Effect, listFaults, removeFaults, type StoredFault } from "../tables/faults.ts";
import { ControlRefused } from "./refused.ts";

/** The longest that a timer can wait. */
const longestDelayMs = 2 ** 31 - 1;

/** What can be asked for; `*` stands for every operation. */
const faultInput = z.strictObject({
  operation: z.string(),
  after: z.int().min(0).default(faultDefaults.after),
  times: z.int().min(1).default(faultDefaults.times),
  status: z.int().min(400).max(599).optional(),
  retryAfterSeconds: z.number().min(0).optional(),
  delayMs: z.int().min(0).max(longestDelayMs).optional(),
  reset: z.boolean().default(false),
  cutStreamAfter: z.int().min(0).optional(),
  garbage: z.boolean().default(false),
  applied: z.boolean().default(false),
});

/** A fault as it is told. */
export interface FaultShown extends Effect {
  readonly id: number;
  readonly operation: string;
  /** What it does, in words. */
  readonly effect: string;
  readonly after: number;
  readonly times: number;
  /** How many more calls it befalls. */
  readonly left: number;
}

export interface FaultControl {
  /** Throws `ControlRefused` that names each value at fault. */
  add(input: unknown): FaultShown;
  list(): readonly FaultShown[];
  /** Forgets one fault, or all, and says how many that were. */
  clear(id?: number): number;
}

/** How long an answer that says "too many requests" asks to wait, in seconds, when nothing else is said. */
export const usualRetryAfter = 1;

export function faultControl(store: Store): FaultControl {
  return {
    add(input) {
      const checked = check({ input: faultInput }, input);
      if (!checked.ok) throw new ControlRefused(checked.issues.map(ofFault));
      const { operation, after, times, ...effect } = checked.value;
      const issues = [...operationIssues(operation), ...effectIssues(effect)];
      if (issues.length > 0) throw new ControlRefused(issues);
      const waits = effect.status === 429 ? usualRetryAfter : undefined;
      const retryAfterSeconds = effect.retryAfterSeconds ?? waits;
      return shown(addFault(store, { operation, after, times, effect: { ...effect, retryAfterSeconds } }));
    },
    list: () => listFaults(store).map(shown),
    clear: (id) =>
      store.write(() => {
        const before = listFaults(store).length;
        removeFaults(store, id);
        return before - listFaults(store).length;
      }),
  };
}

const ofFault = ({ path, message }: Issue): Issue => ({
  path,
  message: message.replace("of this operation", "that a fault has"),
});

function operationIssues(name: string): readonly Issue[] {
  const known = Object.keys(servedOperations);
  if (name === "*" || known.includes(name)) return [];
  const near = nearest(name, known);
  const advice = near ? `did you mean ${near}?` : `such as ${known.slice(1, 3).join(" or ")}, or * for all`;
  return [
    {
      path: ["operation"],
      message: `must be the name of an operation, not ${JSON.stringify(name)}: ${advice}`,
    },
  ];
}

function effectIssues(effect: Effect): readonly Issue[] {
  const { status, delayMs, reset, cutStreamAfter, garbage, retryAfterSeconds } = effect;
  const wrong = (field: string, message: string): Issue => ({ path: [field], message });
  const answers = status !== undefined || garbage;
  const nothing = !answers && !reset && delayMs === undefined && cutStreamAfter === undefined;
  return [
    ...(nothing ? [wrong("status", "or another effect is needed: a delay, a reset, a cut or garbage")] : []),
    ...(reset && answers ? [wrong("reset", "leaves no answer that could have a status or be garbage")] : []),
    ...(cutStreamAfter !== undefined && answers
      ? [wrong("cutStreamAfter", "cuts the operation's own answer: it has no other status and is no garbage")]
      : []),
    ...(retryAfterSeconds !== undefined && !Number.isSafeInteger(retryAfterSeconds)
      ? [wrong("retryAfterSeconds", "must be whole seconds")]
      : []),
    ...(retryAfterSeconds !== undefined && status === undefined
      ? [wrong("retryAfterSeconds", "belongs to an answer with a status such as 429")]
      : []),
  ];
}

const shown = ({ effect, id, operation, after, times, calls }: StoredFault): FaultShown => ({
  id,
  operation,
  effect: inWords(effect),
  after,
  times,
  left: Math.min(times, after + times - calls),
  ...effect,
});

function inWords({
  delayMs,
  status,
  retryAfterSeconds,
  reset,
  cutStreamAfter,
  garbage,
  applied,
}: Effect): string {
  return [
    ...(applied ? ["takes effect"] : []),
    ...(delayMs === undefined ? [] : [`waits ${delayMs / 1000} s`]),
    ...(status === undefined ? [] : [`answers ${status}`]),
    ...(garbage ? ["answers garbage"] : []),
    ...(retryAfterSeconds === undefined ? [] : [`says to wait ${retryAfterSeconds} s`]),
    ...(cutStreamAfter === undefined ? [] : [`cuts the answer after ${cutStreamAfter} events or KiB`]),
    ...(reset ? ["resets the connection"] : []),
  ].join(", ");
}
