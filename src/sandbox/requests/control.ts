import * as z from "zod";
import { check, type Issue } from "../../contract/check/check.ts";
import { isRecord } from "../../core/json.ts";
import { type ExpectationResult, requestLog } from "../../core/sandbox.ts";
import { parseDuration } from "../../core/values/durations.ts";
import { type Clock, stamp } from "../clock.ts";
import { ControlRefused, issue, issueIf, issuesFor } from "../errors.ts";
import type { Store } from "../store/queries.ts";
import { allRequests, type NumberedRequest, removeRequests } from "./log.ts";
import { differences, fieldIssues, operationIssues, selectedBy, selects, whereInput } from "./match.ts";

const timeText = "A time of the sandbox's clock in ISO 8601, or a duration before now such as `10m`";

const filterFields = {
  operation: z.string().optional(),
  status: z
    .union([z.int(), z.string()])
    .optional()
    .describe("A status such as 404, a class such as `4xx`, or `none` when the connection was broken"),
  since: z.string().optional().describe(timeText),
  until: z.string().optional().describe(timeText),
  caller: z.string().min(1).optional().describe("The name that the caller sends in a header"),
  key: z.string().min(1).optional().describe("The name of an API key"),
  where: whereInput.default({}),
};

export const filterInput = z.strictObject(filterFields);
export const listInput = z.strictObject({ ...filterFields, limit: z.int().min(1).default(requestLog.shown) });
const amount = z.int().min(0).max(requestLog.kept).optional();
export const expectationInput = z.strictObject({
  ...filterFields,
  count: amount,
  atLeast: amount,
  atMost: amount,
});

type Filter = z.output<typeof filterInput>;

/** Controls the request log. For an invalid filter or expectation, throws a `ControlRefused` that names each issue. */
export interface RequestControl {
  /** The most recent matching requests, oldest first. */
  list(filter?: unknown): readonly NumberedRequest[];
  count(filter?: unknown): number;
  /** Removes the matching requests or, if no filter is given, all requests. Returns how many were removed. */
  clear(filter?: unknown): number;
  /**
   * Checks how many requests match: exactly `count`, or from `atLeast` to `atMost`. Without any of the three, at least
   * 1 must match.
   */
  expect(expectation: unknown): ExpectationResult;
}

export function requestControl(store: Store, clock: Clock): RequestControl {
  const matching = (filter: Filter) => {
    const conditions = conditionsOf(filter, clock());
    const compared = allRequests(store).map((request) => ({
      request,
      differs: conditions.flatMap(({ differs }) => differs(request) ?? []),
    }));
    return { conditions, compared, matches: compared.filter(({ differs }) => differs.length === 0) };
  };
  return {
    list: (input = {}) => {
      const { limit, ...filter } = checked(listInput, input);
      return matching(filter)
        .matches.slice(-limit)
        .map(({ request }) => request);
    },
    count: (input = {}) => matching(checked(filterInput, input)).matches.length,
    clear: (input = {}) => {
      const { matches } = matching(checked(filterInput, input));
      removeRequests(
        store,
        matches.map(({ request }) => request.number),
      );
      return matches.length;
    },
    expect: (input) => {
      const { count, atLeast, atMost, ...filter } = checked(expectationInput, input);
      assertRange({ count, atLeast, atMost });
      const { conditions, compared, matches } = matching(filter);
      const lowest = count ?? atLeast ?? (atMost === undefined ? 1 : 0);
      const highest = count ?? atMost ?? Number.POSITIVE_INFINITY;
      const found = matches.length;
      const conditionsText = conditions.map(({ text }) => text).join(", ");
      const expected = `${rangeText(lowest, highest)}${conditionsText && ` with ${conditionsText}`}`;
      const isMet = found >= lowest && found <= highest;
      const shown = isMet
        ? []
        : found < lowest
          ? nearestOf(compared, conditions.length)
          : matches.slice(-maxShown);
      return {
        met: isMet,
        expected,
        count: found,
        logged: compared.length,
        requests: shown.map(({ request, differs }) => ({
          number: request.number,
          text: inWords(request, differs),
        })),
      };
    },
  };
}

const maxShown = 3;

interface Compared {
  readonly request: NumberedRequest;
  readonly differs: readonly string[];
}

/**
 * The requests that come closest to meeting all conditions. Requests that meet more conditions come first; of those
 * that meet equally many, the most recent. Omits requests that meet all conditions and, if there are several
 * conditions, requests that meet none.
 */
const nearestOf = (compared: readonly Compared[], conditions: number): readonly Compared[] =>
  compared
    .filter(({ differs }) => differs.length > 0 && differs.length < Math.max(conditions, 2))
    .toReversed()
    .toSorted((one, other) => one.differs.length - other.differs.length)
    .slice(0, maxShown);

const inWords = ({ method, path, status }: NumberedRequest, differs: readonly string[]): string =>
  [`${method} ${path}, ${statusText(status)}`, ...differs].join("; ");

const counted = (count: number): string => `${count} request${count === 1 ? "" : "s"}`;

const rangeText = (lowest: number, highest: number): string => {
  if (lowest === highest) return `exactly ${counted(lowest)}`;
  if (highest === Number.POSITIVE_INFINITY) return `at least ${counted(lowest)}`;
  return lowest === 0 ? `at most ${counted(highest)}` : `${lowest} to ${counted(highest)}`;
};

function assertRange({
  count,
  atLeast,
  atMost,
}: Pick<z.output<typeof expectationInput>, "count" | "atLeast" | "atMost">) {
  const isRange = atLeast !== undefined || atMost !== undefined;
  const issues = [
    ...issueIf(count !== undefined && isRange, "count", "cannot be combined with a minimum or a maximum"),
    ...issueIf((atLeast ?? 0) > (atMost ?? requestLog.kept), "atLeast", "cannot be more than the maximum"),
  ];
  if (issues.length > 0) throw new ControlRefused(issues);
}

function checked<Input extends z.ZodObject<typeof filterFields>>(
  schema: Input,
  input: unknown,
): z.output<Input> {
  const result = check({ input: schema }, input);
  if (!result.ok) throw new ControlRefused(issuesFor("a filter", result.issues));
  const issues = filterIssues(result.value);
  if (issues.length > 0) throw new ControlRefused(issues);
  return result.value;
}

const statuses = /^([1-5]xx|[1-5]\d\d|none)$/;

function filterIssues({
  operation,
  status,
  since,
  until,
  where,
}: Pick<Filter, "operation" | "status" | "since" | "until" | "where">): readonly Issue[] {
  const selected = selectedBy(operation ?? "*");
  return [
    ...(operation === undefined ? [] : operationIssues(operation)),
    ...fieldIssues(selected, where),
    ...issueIf(
      status !== undefined && !statuses.test(String(status)),
      "status",
      "must be a status such as 404, a class such as 4xx, or none for a broken connection",
    ),
    ...Object.entries({ since, until }).flatMap(([name, time]) =>
      time === undefined || !Number.isNaN(timeOf(String(time), 0)) ? [] : [issue(name, invalidTime)],
    ),
  ];
}

const invalidTime = "must be a time such as 2026-12-31T00:00:00Z, or a duration before now such as 10m";

/** Milliseconds since 1970; NaN if the text is neither a time nor a duration. */
function timeOf(text: string, now: number): number {
  const duration = parseDuration(text);
  if (duration !== undefined) return now - duration;
  return z.union([z.iso.datetime({ offset: true }), z.iso.date()]).safeParse(text).success
    ? Date.parse(text)
    : Number.NaN;
}

/** A condition that requests must meet. */
interface Condition {
  readonly text: string;
  /** Says what the request has instead; undefined if the request meets the condition. */
  differs(request: NumberedRequest): string | undefined;
}

function conditionsOf(filter: Filter, now: number): readonly Condition[] {
  const { operation, status, since, until, caller, key, where } = filter;
  const from = since === undefined ? undefined : timeOf(since, now);
  const to = until === undefined ? undefined : timeOf(until, now);
  return [
    ...condition(operation, `operation ${operation}`, (request) =>
      selects(String(operation), request.operation, fieldsOf(request))
        ? undefined
        : `operation is ${request.operation ?? "unknown"}`,
    ),
    ...condition(status, `status ${status}`, (request) =>
      isOfStatus(String(status), request.status) ? undefined : `status is ${request.status ?? "none"}`,
    ),
    ...condition(from, `time since ${from === undefined ? "" : stamp(from)}`, ({ time }) =>
      Date.parse(time) >= Number(from) ? undefined : `time is ${time}`,
    ),
    ...condition(to, `time until ${to === undefined ? "" : stamp(to)}`, ({ time }) =>
      Date.parse(time) <= Number(to) ? undefined : `time is ${time}`,
    ),
    ...condition(caller, `caller ${caller}`, (request) =>
      request.caller === caller ? undefined : `caller is ${request.caller ?? "not set"}`,
    ),
    ...condition(key, `key ${key}`, (request) =>
      request.key === key ? undefined : `key is ${request.key ?? "unknown"}`,
    ),
    ...Object.entries(where).map(([path, expected]) => ({
      text: `${path}=${typeof expected === "string" ? expected : JSON.stringify(expected)}`,
      differs: (request: NumberedRequest) =>
        differences({ [path]: expected }, fieldsOf(request)).map(({ actual }) =>
          actual === undefined ? `${path} is missing` : `${path} is ${shortened(actual)}`,
        )[0],
    })),
  ];
}

const fieldsOf = ({ parameters, body }: NumberedRequest): unknown =>
  isRecord(body) ? { ...parameters, ...body } : parameters;

const condition = (value: unknown, text: string, differs: Condition["differs"]): readonly Condition[] =>
  value === undefined ? [] : [{ text, differs }];

const isOfStatus = (expected: string, status: number | null): boolean =>
  status === null
    ? expected === "none"
    : expected === String(status) || expected === `${String(status).slice(0, 1)}xx`;

const statusText = (status: number | null): string => (status === null ? "no response" : `status ${status}`);

const maxShownLength = 60;

/** A value as JSON, shortened. */
function shortened(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}...` : text;
}
