import { UsageError } from "../../errors.ts";
import { kebab } from "../../flags.ts";
import { parseNumber, waitable } from "../../shared/values.ts";
import type { Args, Verb } from "../../spec.ts";
import { controlled } from "../control.ts";

/** Flags that are named otherwise than the value they give. */
const named: Readonly<Record<string, string>> = { delayMs: "delay", retryAfterSeconds: "retry-after" };

const flagOf = (field: string): string => `--${named[field] ?? kebab(field)}`;

export const verb: Verb<object> = {
  run: async (_input, context, { flags }) => {
    const fault = faultOf(flags);
    return {
      data: await controlled<unknown>(context, {
        run: ({ faults }) => faults.add(fault),
        dry: () => fault,
        nameOf: ([field = ""]) => flagOf(String(field)),
      }),
    };
  },
};

function faultOf(flags: Args["flags"]): object {
  if (flags.operation === undefined) {
    throw new UsageError("--operation is needed: the name of an operation, or '*' for all");
  }
  const number = (name: string) =>
    flags[name] === undefined ? undefined : parseNumber(String(flags[name]), `--${name}`);
  const milliseconds = (name: string) =>
    flags[name] === undefined ? undefined : waitable(String(flags[name]), `--${name}`);
  const wait = milliseconds("retry-after");
  const given = {
    operation: flags.operation,
    after: number("after"),
    times: number("times"),
    status: number("status"),
    retryAfterSeconds: wait === undefined ? undefined : wait / 1000,
    delayMs: milliseconds("delay"),
    cutStreamAfter: number("cut-stream-after"),
    reset: flags.reset === true,
    garbage: flags.garbage === true,
    applied: flags.applied === true,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
