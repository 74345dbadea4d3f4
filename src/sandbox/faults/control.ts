import type * as z from "zod";
import { check, type Issue } from "../../contract/check/check.ts";
import type { Operation } from "../../contract/operation.ts";
import { fieldsOf } from "../../contract/plain/fields.ts";
import { faultDefaults } from "../../core/sandbox.ts";
import { nearest } from "../../core/text.ts";
import type { Clock } from "../clock.ts";
import { ControlRefused, issue, issueIf, issuesFor } from "../errors.ts";
import { keyNames } from "../keys.ts";
import { isEnabled } from "../operation-set.ts";
import { fieldIssues, operationIssues, selectedBy, type Where } from "../requests/match.ts";
import type { Queries, Store } from "../store/queries.ts";
import { removeRows } from "../tables/numbers.ts";
import { defaultContentType } from "./inject.ts";
import {
  addFault,
  type Effect,
  faultInput,
  listFaults,
  replacesResponse,
  type StoredFault,
} from "./table.ts";

/** A fault as shown to the user. */
export interface FaultInfo extends Effect {
  readonly id: number;
  readonly operation: string;
  readonly where?: Where | undefined;
  readonly caller?: string | undefined;
  readonly key?: string | undefined;
  /** What the fault does, in words. */
  readonly effect: string;
  readonly after: number;
  readonly every?: number | undefined;
  readonly rate?: number | undefined;
  readonly seed?: number | undefined;
  /** How many calls the fault affects; null for no limit. */
  readonly times: number | null;
  /** How many more calls the fault affects; null for no limit. */
  readonly left: number | null;
}

export interface FaultControl {
  /** @throws ControlRefused naming what is invalid */
  add(input: unknown): FaultInfo;
  list(): readonly FaultInfo[];
  /** Removes one fault, or all, and returns how many it removed. */
  clear(id?: number): number;
}

/** The default Retry-After of a 429, in seconds. */
export const defaultRetryAfter = 1;

export function faultControl(store: Store, clock: Clock): FaultControl {
  return {
    add(input) {
      const checked = check({ input: faultInput }, input);
      if (!checked.ok) throw new ControlRefused(issuesFor("a fault", checked.issues));
      const { operation, where, caller, key, after, times, every, rate, seed, ...effect } = checked.value;
      const issues = [
        ...operationIssues(operation, ["*"]),
        ...selectionIssues(store, checked.value, clock()),
        ...choiceIssues(checked.value),
        ...effectIssues(effect),
      ];
      if (issues.length > 0) throw new ControlRefused(issues);
      const retryAfterSeconds =
        effect.retryAfterSeconds ?? (effect.status === 429 ? defaultRetryAfter : undefined);
      const chooses = every !== undefined || rate !== undefined;
      const fault = {
        operation,
        where,
        caller,
        key,
        after,
        times: times ?? (chooses ? null : faultDefaults.times),
        every,
        rate,
        seed: rate === undefined ? undefined : (seed ?? faultDefaults.seed),
        effect: { ...effect, retryAfterSeconds },
      };
      return info(addFault(store, fault));
    },
    list: () => listFaults(store).map(info),
    clear: (id) => removeRows(store, "faults", id),
  };
}

/** Returns an issue for each reason why a fault can never, or probably never, affect a call. */
function selectionIssues(
  store: Queries,
  { operation, where = {}, key }: z.output<typeof faultInput>,
  now: number,
): readonly Issue[] {
  const selected = selectedBy(operation);
  const isOver = selected.length > 0 && !selected.some((one) => isEnabled(one, now));
  return [
    ...issueIf(isOver, "operation", `${operation} is no longer served: its sunset day has passed`),
    ...fieldIssues(selected, where),
    ...valueIssues(selected, where),
    ...issueIf(
      key !== undefined && !keyNames(store).includes(key),
      "key",
      `must be the name of an API key: ${keyNames(store).join(", ")}`,
    ),
  ];
}

/** Returns an issue for each value that looks like a misspelled choice. */
function valueIssues(selected: readonly Operation[], where: Where): readonly Issue[] {
  const fields = selected.flatMap((operation) => fieldsOf(operation.input));
  return Object.entries(where).flatMap(([path, value]) => {
    const choices = fields.flatMap(({ name, choices = [] }) => (name === path ? choices : []));
    const [near] = choices.includes(String(value)) ? [] : nearest(String(value), choices);
    if (near === undefined) return [];
    return [issue("where", `${path}: ${JSON.stringify(value)} is not a choice: did you mean ${near}?`)];
  });
}

const choiceIssues = ({ every, rate, seed }: z.output<typeof faultInput>): readonly Issue[] => [
  ...issueIf(every !== undefined && rate !== undefined, "every", "cannot be combined with a rate"),
  ...issueIf(seed !== undefined && rate === undefined, "seed", "requires a rate"),
];

function effectIssues(effect: Effect): readonly Issue[] {
  const { status, delayMs, reset, cutStreamAfter, garbage, retryAfterSeconds } = effect;
  const { code, message, body, contentType, stall } = effect;
  const responds = replacesResponse(effect);
  const cuts = cutStreamAfter !== undefined;
  const waits = retryAfterSeconds !== undefined;
  const hasEffect = responds || reset || delayMs !== undefined || cuts;
  const alone = "cannot be combined with a status, a body or garbage";
  return [
    ...issueIf(
      !hasEffect,
      "status",
      "or another effect is required: a body, a delay, a reset, a cut or garbage",
    ),
    ...issueIf(reset && responds, "reset", alone),
    ...issueIf(cuts && responds, "cutStreamAfter", alone),
    ...issueIf(stall && !cuts, "stall", "requires a cut: the response stalls where it is cut"),
    ...issueIf(stall && reset, "stall", "cannot be combined with a reset"),
    ...[
      { field: "code", value: code },
      { field: "message", value: message },
    ].flatMap(({ field, value }) => [
      ...issueIf(value !== undefined && status === undefined, field, "requires a status"),
      ...issueIf(
        value !== undefined && (body !== undefined || garbage),
        field,
        "cannot be combined with a body or garbage",
      ),
    ]),
    ...issueIf(body !== undefined && garbage, "body", "cannot be combined with garbage"),
    ...issueIf(contentType !== undefined && body === undefined, "contentType", "requires a body"),
    ...issueIf(
      waits && !Number.isSafeInteger(retryAfterSeconds),
      "retryAfterSeconds",
      "must be a whole number of seconds",
    ),
    ...issueIf(waits && status === undefined, "retryAfterSeconds", "requires a status, such as 429"),
  ];
}

const info = ({
  effect,
  id,
  operation,
  where,
  caller,
  key,
  after,
  times,
  every,
  rate,
  seed,
  hits,
}: StoredFault): FaultInfo => ({
  id,
  operation,
  effect: inWords(effect) + selectionInWords({ where, caller, key }) + choiceInWords({ every, rate, seed }),
  where,
  caller,
  key,
  after,
  every,
  rate,
  seed,
  times,
  left: times === null ? null : times - hits,
  ...effect,
});

type Condition = Pick<StoredFault, "where" | "caller" | "key">;

const selectionInWords = ({ where = {}, caller, key }: Condition): string => {
  const conditions = [
    ...Object.entries(where).map(
      ([field, value]) => `${field}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    ),
    ...(caller === undefined ? [] : [`caller ${caller}`]),
    ...(key === undefined ? [] : [`key ${key}`]),
  ];
  return conditions.length === 0 ? "" : `; only with ${conditions.join(", ")}`;
};

const choiceInWords = ({ every, rate, seed }: Pick<StoredFault, "every" | "rate" | "seed">): string =>
  every !== undefined
    ? `; every ${every} calls`
    : rate === undefined
      ? ""
      : `; ${Number((rate * 100).toPrecision(6))}% of the calls, by seed ${seed}`;

const inWords = (effect: Effect): string =>
  [
    effect.applied && "applies the operation",
    effect.delayMs !== undefined && `waits ${effect.delayMs / 1000} s`,
    effect.status !== undefined && `returns ${effect.status}`,
    effect.code !== undefined && `with the code ${effect.code}`,
    effect.message !== undefined && `with the message ${JSON.stringify(effect.message)}`,
    effect.body !== undefined && `returns its own body as ${effect.contentType ?? defaultContentType}`,
    effect.garbage && "returns invalid JSON",
    effect.retryAfterSeconds !== undefined && `sets Retry-After to ${effect.retryAfterSeconds} s`,
    effect.cutStreamAfter === undefined
      ? effect.reset && "resets the connection"
      : cutInWords(effect.cutStreamAfter, effect),
  ]
    .filter(Boolean)
    .join(", ");

const cutInWords = (after: number, { stall, reset }: Effect): string => {
  const then = stall ? ", then sends nothing more" : reset ? ", then resets the connection" : "";
  return `cuts a stream after ${after} ${after === 1 ? "event" : "events"} and any other response after ${after} KiB${then}`;
};
