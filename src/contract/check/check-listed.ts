import type * as z from "zod";
import type { InputSchema, Rule } from "../operation.ts";
import { type Checked, check, type Issue, pathOf } from "./check.ts";

/** A value that is not in the contract, and a value from the contract that is validated instead. */
interface UnknownValue {
  readonly path: Issue["path"];
  readonly value: string;
  readonly known: unknown;
}

/**
 * Validates like `check`, but also accepts values for which `isListed` returns true. `isListed` is called only for
 * values that `check` would reject. Rules across fields get the values that were passed in. The returned value has
 * values from the contract in place of those that only `isListed` accepted.
 */
export async function checkListed<Input extends InputSchema>(
  operation: { readonly input: Input; readonly rules?: readonly Rule<z.output<Input>>[] | undefined },
  input: object,
  isListed: (path: Issue["path"], value: string) => Promise<boolean>,
): Promise<Checked<z.output<Input>>> {
  const parsed = operation.input.safeParse(input, { reportInput: true });
  const listed: UnknownValue[] = [];
  for (const one of parsed.error?.issues.flatMap(unknownChoice) ?? []) {
    if (await isListed(one.path, one.value)) listed.push(one);
  }
  if (listed.length === 0) return check(operation, input);
  const rules = operation.rules?.map((rule) => ({
    ...rule,
    violations: (data: z.output<Input>) => rule.violations(withReplaced(data, listed, ({ value }) => value)),
  }));
  return check(
    { input: operation.input, rules },
    withReplaced(input, listed, ({ known }) => known),
  );
}

function unknownChoice(issue: z.core.$ZodIssue): readonly UnknownValue[] {
  if (issue.code !== "invalid_value" || typeof issue.input !== "string") return [];
  return [{ path: pathOf(issue), value: issue.input, known: issue.values[0] }];
}

/** A copy with the value at each path replaced. */
function withReplaced<Value>(
  base: Value,
  values: readonly UnknownValue[],
  replacement: (one: UnknownValue) => unknown,
): Value {
  const copy = structuredClone(base);
  for (const one of values) {
    const last = one.path.at(-1);
    const inside = one.path
      .slice(0, -1)
      .reduce<unknown>((at, step) => (isObject(at) ? Reflect.get(at, step) : undefined), copy);
    if (isObject(inside) && last !== undefined) Reflect.set(inside, last, replacement(one));
  }
  return copy;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
