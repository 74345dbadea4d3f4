import { type FlagValues, flag } from "../../../command-kit/flag.ts";
import { UsageError } from "../../../core/errors.ts";
import { withoutUndefined } from "../../../core/json.ts";
import { callerHeader, splitCondition } from "../../../core/sandbox.ts";

export const whereFlag = (text: string) => flag.texts(text, { value: "FIELD=VALUE" });

export const callerFlag = (text: string) =>
  flag.text(`${text} whose header ${callerHeader} has this value`, { value: "CALLER" });

export const keyFlag = (text: string) =>
  flag.text(`${text} with the API key of this name`, { value: "NAME" });

export const filterFlags = {
  operation: flag.text("Only requests to this operation, by its ID in `gpuctl api spec`", {
    value: "OPERATION",
  }),
  status: flag.text(
    "Only requests with this status or class of statuses, such as 404 or 4xx; `none` for requests whose connection broke",
    {
      value: "STATUS",
    },
  ),
  since: flag.text(
    "Only requests since a time on the sandbox's clock, or since a duration ago, such as 10m",
    {
      value: "TIME",
    },
  ),
  until: flag.text("Only requests until a time on the sandbox's clock, or until a duration ago", {
    value: "TIME",
  }),
  caller: callerFlag("Only requests"),
  key: keyFlag("Only requests"),
  where: whereFlag("Only requests with this value in the field, such as messages.0.role=user"),
};

/** The filter that the flags set. */
export const filterOf = ({ where, ...filter }: FlagValues<typeof filterFlags>): Record<string, unknown> =>
  withoutUndefined({ ...filter, where: whereOf(where) });

/** Parses `FIELD=VALUE` conditions into an object that maps fields to values. Returns undefined without conditions. */
export function whereOf(conditions: readonly string[] | undefined): Record<string, string> | undefined {
  if (conditions === undefined || conditions.length === 0) return undefined;
  const where = new Map<string, string>();
  for (const text of conditions) {
    const [field, value] = splitCondition(text) ?? [];
    if (field === undefined || value === undefined) {
      throw new UsageError(`--where must be FIELD=VALUE such as gpuCount=8, not ${JSON.stringify(text)}`);
    }
    if (where.has(field)) throw new UsageError(`--where names the field ${field} twice`);
    where.set(field, value);
  }
  return Object.fromEntries(where);
}
