import type * as z from "zod";
import type { InputSchema, Rule } from "../operation.ts";
import { type Checked, check, type Issue, pathOf } from "./check.ts";

/** A listed value that the contract does not know, and a known one to validate in its place. */
interface NewValue {
  readonly path: Issue["path"];
  readonly value: string;
  readonly known: unknown;
}

/**
 * Validates like `check`, but also accepts values for which `isListed` returns true. It is called only for values that
 * `check` would reject. Rules across fields see the listed value.
 */
export async function checkListed<Input extends InputSchema>(
  operation: { readonly input: Input; readonly rules?: readonly Rule<z.output<Input>>[] | undefined },
  input: object,
  isListed: (path: Issue["path"], value: string) => Promise<boolean>,
): Promise<Checked<z.output<Input>>> {
  const parsed = operation.input.safeParse(input, { reportInput: true });
  const found: NewValue[] = [];
  for (const one of parsed.error?.issues.flatMap(unknownChoice) ?? []) {
    if (await isListed(one.path, one.value)) found.push(one);
  }
  if (found.length === 0) return check(operation, input);
  const rules = operation.rules?.map((rule) => ({
    ...rule,
    violations: (data: z.output<Input>) => rule.violations(withEach(data, found, ({ value }) => value)),
  }));
  return check(
    { input: operation.input, rules },
    withEach(input, found, ({ known }) => known),
  );
}

function unknownChoice(issue: z.core.$ZodIssue): readonly NewValue[] {
  if (issue.code !== "invalid_value" || typeof issue.input !== "string") return [];
  return [{ path: pathOf(issue), value: issue.input, known: issue.values[0] }];
}

/** A copy with the value at each path replaced. */
function withEach<Value>(base: Value, found: readonly NewValue[], by: (one: NewValue) => unknown): Value {
  const copy = structuredClone(base);
  for (const one of found) {
    const last = one.path.at(-1);
    const inside = one.path
      .slice(0, -1)
      .reduce<unknown>((at, step) => (isObject(at) ? Reflect.get(at, step) : undefined), copy);
    if (isObject(inside) && last !== undefined) Reflect.set(inside, last, by(one));
  }
  return copy;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
