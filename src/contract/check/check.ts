import type * as z from "zod";
import type { InputSchema, Rule } from "../operation.ts";

/** A problem with one field; `path` locates it, such as `["storageVolume", "label"]`. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * Validates an input against an operation's schema and rules. The returned value includes the service's defaults. Zod
 * compiles the schema at its first use, which takes longer than validating a single input. With `isSingle`, Zod does
 * not compile it.
 */
export function check<Input extends InputSchema>(
  operation: { readonly input: Input; readonly rules?: readonly Rule<z.output<Input>>[] | undefined },
  input: unknown,
  { isSingle = false } = {},
): Checked<z.output<Input>> {
  const unseen = unseenNames(input);
  if (unseen.length > 0) return { ok: false, issues: unseen };
  const parsed = operation.input.safeParse(input, isSingle ? { jitless: true } : undefined);
  if (!parsed.success) {
    // Passes `reportInput` only now: for each call with options, V8 keeps 200 bytes until the next full garbage
    // collection.
    const { error } = operation.input.safeParse(input, { reportInput: true });
    return { ok: false, issues: (error ?? parsed.error).issues.flatMap((issue) => explain(issue)) };
  }
  // TypeScript cannot relate the output of a union of schemas to the schema that was used.
  const value = parsed.data as z.output<Input>;
  const issues = (operation.rules ?? [])
    .flatMap((rule) => rule.violations(value))
    .map(({ field, message }) => ({ path: [field], message }));
  return issues.length === 0 ? { ok: true, value } : { ok: false, issues };
}

/**
 * Rejects the key `__proto__` in a map. Zod neither checks nor returns this key, so it would be sent unchecked, or be
 * lost.
 */
const unseenNames = (input: unknown): readonly Issue[] =>
  Object.entries(Object(input)).flatMap(([field, value]) =>
    typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__")
      ? [{ path: [field], message: 'cannot contain the name "__proto__"' }]
      : [],
  );

type ZodIssue = z.core.$ZodIssue;

function explain(issue: ZodIssue): Issue[] {
  const path = pathOf(issue);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], message: "is not a field of this operation" }));
  }
  const branch = issue.code === "invalid_union" ? branchOfType(issue) : undefined;
  if (branch) return branch.flatMap(explain).map((one) => ({ ...one, path: [...path, ...one.path] }));
  return [{ path, message: message(issue) }];
}

/**
 * The issues of the only union branch that accepts values of the input's type. Undefined if there is no such branch, or
 * several.
 */
function branchOfType({ errors }: z.core.$ZodIssueInvalidUnion): readonly ZodIssue[] | undefined {
  const [branch, ...others] = errors.filter((issues) => issues.every((issue) => issue.path.length > 0));
  return others.length === 0 ? branch : undefined;
}

export const pathOf = ({ path }: ZodIssue): Issue["path"] =>
  path.map((step) => (typeof step === "symbol" ? String(step) : step));

function message(issue: ZodIssue): string {
  if (issue.input === undefined) return "is required";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${article(issue.expected)}`;
    case "too_small":
      return `must ${bound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "too_big":
      return `must ${bound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
    case "invalid_format":
      return issue.format === "datetime"
        ? "must be a date-time with Z or an offset, such as 2026-12-31T00:00:00Z"
        : `must match ${issue.pattern ?? issue.format}`;
    case "invalid_union":
      return unionMessage(issue);
    default:
      return issue.message;
  }
}

/** The message for a value that no branch of a union accepts. Says what each branch expects. */
function unionMessage(issue: z.core.$ZodIssueInvalidUnion): string {
  if ("options" in issue && issue.options) return `must be ${issue.options.join(" or ")}`;
  const branches = new Set(issue.errors.flatMap((branch) => branch.slice(0, 1).map(message)));
  return [...branches].join(" or ");
}

/** A type name with its article, such as "an integer". */
export const article = (type: string): string => {
  const name = { int: "integer", record: "object" }[type] ?? type;
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
};

/**
 * The text of a limit after "must", such as "have at least 2 characters"; `origin` is `string`, `array` or a number
 * type.
 */
export function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `have ${relation} ${limit} character${Number(limit) === 1 ? "" : "s"}`;
  if (origin === "array") return `have ${relation} ${limit} item${Number(limit) === 1 ? "" : "s"}`;
  return `be ${relation} ${limit}`;
}
