import { _, type Ajv, type FuncKeywordDefinition } from "ajv";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import type { RegExpEngine } from "ajv/dist/types/index.js";
import formats from "ajv-formats";
import { article, bound } from "../contract/check/check.ts";
import { asList, isRecord } from "../core/json.ts";
import { TimeLimitExceeded, withinTime } from "../core/tasks/time-limit.ts";
import { type Description, withNumericLimits } from "./document.ts";

/** A problem with a value. `path` leads to the part that is not valid. */
export interface SchemaIssue {
  readonly path: readonly string[];
  /** The keyword of the schema that the value violates, such as `required`. */
  readonly keyword: string;
  readonly message: string;
}

interface CheckOptions {
  readonly description: Description;
  /** Accepts strings for numbers and booleans, as in a query or path. */
  readonly fromText: boolean;
  readonly patterns: Patterns;
  /** The validator for the draft of the schema. Default: that for 2020-12. */
  readonly Validator?: typeof Ajv | typeof Ajv2020;
}

const documentId = "openapi:/description";

/** The time limit of one check, in milliseconds. The time that a check takes can double with each level of a schema. */
const maxCheckTime = 3_000;

/**
 * Validates a value against a schema of a description. A reference must lead to a place in the description. Returns
 * undefined if the schema is invalid or the check takes too long.
 */
export function schemaIssues(
  schema: unknown,
  value: unknown,
  options: CheckOptions,
): readonly SchemaIssue[] | undefined {
  try {
    return withinTime(maxCheckTime, () => issues(schema, value, options));
  } catch {
    return undefined;
  }
}

function issues(schema: unknown, value: unknown, options: CheckOptions): readonly SchemaIssue[] {
  const { description, fromText, patterns, Validator = Ajv2020 } = options;
  const ajv = new Validator({
    strict: false,
    allErrors: true,
    validateSchema: false,
    logger: false,
    verbose: true,
    code: { regExp: patterns.regExp },
    coerceTypes: fromText ? "array" : false,
  });
  formats.default(ajv);
  ajv.removeKeyword("multipleOf").addKeyword(multipleOf);
  const upgrade = description.openapi.startsWith("3.0") ? upgraded : (unchanged: unknown) => unchanged;
  ajv.addSchema(Object(upgrade(description)), documentId);
  const check = ajv.compile({
    type: "object",
    properties: { value: withAbsoluteReferences(upgrade(schema)) },
  });
  if (check({ value: structuredClone(value) })) return [];
  return explained(check.errors ?? [], (alternative, part) => issues(alternative, part, options));
}

/** Compares decimals exactly. Ajv divides the numbers as they are, so that 19.99 would be no multiple of 0.01. */
const multipleOf: FuncKeywordDefinition = {
  keyword: "multipleOf",
  type: "number",
  schemaType: "number",
  compile: (step: number) => (value: number) => {
    const [dividend, divisor] = [decimalOf(value), decimalOf(step)];
    if (dividend === undefined || divisor === undefined || divisor.digits === 0n) return false;
    const exponent = Math.min(dividend.exponent, divisor.exponent);
    const scaled = (one: Decimal) => one.digits * 10n ** BigInt(one.exponent - exponent);
    return scaled(dividend) % scaled(divisor) === 0n;
  },
  error: { message: "is not a multiple", params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
};

/** The number `digits` × 10^`exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The decimal that JavaScript prints for a number; undefined if the number is not finite. */
function decimalOf(number: number): Decimal | undefined {
  const [, whole, fraction = "", exponent = "0"] =
    /^(-?\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(number)) ?? [];
  return whole === undefined
    ? undefined
    : { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Makes local references absolute, so that they resolve from any schema. */
function withAbsoluteReferences(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema ?? {}), (key, value) =>
    key === "$ref" && typeof value === "string" && value.startsWith("#") ? documentId + value : value,
  );
}

type Check = (alternative: unknown, value: unknown) => readonly SchemaIssue[];

/**
 * Converts the errors of ajv, which reports the errors of every alternative. For an object, keeps only the errors of
 * the closest alternative. For any other value, joins the messages of all alternatives with "or".
 */
function explained(errors: readonly ErrorObject[], check: Check): readonly SchemaIssue[] {
  const [choice] = errors
    .filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf")
    .sort((a, b) => a.instancePath.length - b.instancePath.length);
  if (!choice) return errors.map(issueOf);
  const others = errors.filter(
    ({ instancePath }) => !`${instancePath}/`.startsWith(`${choice.instancePath}/`),
  );
  return [...explained(others, check), ...choiceIssues(choice, check)];
}

function choiceIssues(choice: ErrorObject, check: Check): readonly SchemaIssue[] {
  const path = pathOf(choice.instancePath);
  const checked = asList(choice.schema).map((alternative) => check(alternative, choice.data));
  const failed = checked.filter((problems) => problems.length > 0);
  const message = "must match exactly one of several schemas";
  if (failed.length < checked.length) return [{ path, keyword: choice.keyword, message }];
  if (!isRecord(choice.data)) {
    const problems = failed.flat();
    const messages = new Set(problems.map(({ message }) => message));
    return [
      {
        path,
        keyword: problems[0]?.keyword ?? choice.keyword,
        message: [...messages].join(", or ") || message,
      },
    ];
  }
  const [closest = []] = failed.sort((a, b) => distance(a) - distance(b));
  return closest.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

/**
 * How badly a value fits an alternative: the number of its issues. A constant that does not match outweighs everything
 * else, because the value then belongs to another alternative.
 */
const distance = (problems: readonly SchemaIssue[]): number =>
  problems.length + (problems.some(({ keyword }) => keyword === "const") ? 1_000 : 0);

function issueOf({ instancePath, keyword, params, message = "is not valid" }: ErrorObject): SchemaIssue {
  const path = pathOf(instancePath);
  const { missingProperty, additionalProperty, unevaluatedProperty } = params;
  const property = keyword === "required" ? missingProperty : (additionalProperty ?? unevaluatedProperty);
  return {
    path: property === undefined ? path : [...path, String(property)],
    keyword,
    message: ajvMessages[keyword]?.(params) ?? message,
  };
}

/**
 * The segments of a JSON pointer, without the first one. The checked value is a field of a wrapper object, and the
 * first segment is the name of that field.
 */
const pathOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(2)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

type Params = ErrorObject["params"];

const notAField = "is not a field of this operation";

const limit =
  (origin: "string" | "array" | "number", relation: string) =>
  (params: Params): string =>
    `must ${bound(origin, relation, params.limit)}`;

/** Messages in the wording of the contract's checks, by keyword. */
const ajvMessages: Readonly<Record<string, (params: Params) => string>> = {
  required: () => "is required",
  additionalProperties: () => notAField,
  unevaluatedProperties: () => notAField,
  enum: ({ allowedValues }) => `must be one of ${allowedValues.join(", ")}`,
  const: ({ allowedValue }) => `must be exactly ${JSON.stringify(allowedValue)}`,
  type: ({ type }) =>
    `must be ${String(type)
      .split(",")
      .map((one) => (one === "null" ? one : article(one)))
      .join(" or ")}`,
  minLength: limit("string", "at least"),
  maxLength: limit("string", "at most"),
  minItems: limit("array", "at least"),
  maxItems: limit("array", "at most"),
  minimum: limit("number", "at least"),
  maximum: limit("number", "at most"),
  exclusiveMinimum: limit("number", "more than"),
  exclusiveMaximum: limit("number", "less than"),
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  pattern: ({ pattern }) => `must match ${pattern}`,
};

/**
 * Converts OpenAPI 3.0 schemas to JSON Schema 2020-12, which OpenAPI 3.1 uses: replaces `nullable` and boolean
 * exclusive limits.
 */
const upgraded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? {}), (_key, one) => {
    if (!isRecord(one)) return one;
    const { nullable, ...schema } = withNumericLimits(one);
    return nullable === true ? { anyOf: [schema, { type: "null" }] } : schema;
  });

/** The regular expressions of the description, some of which may take too long to match. */
interface Patterns {
  /** Replaces `RegExp` in ajv. Throws `SyntaxError` for an invalid pattern. */
  readonly regExp: RegExpEngine;
  /** Patterns whose matching ran out of time. Every value is assumed to match them. */
  readonly unchecked: ReadonlySet<string>;
}

/** Finds `\p{`, `\P{` and `\u{`, which have another meaning without the Unicode flag. */
const unicodeOnly = /(?<!\\)(?:\\\\)*\\(?:[pP]|u)\{/;

/**
 * The regular expression of a pattern. Some patterns are valid only without the Unicode flag. Throws `SyntaxError` for
 * an invalid pattern.
 */
export function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch (error) {
    if (unicodeOnly.test(pattern)) throw error;
    return new RegExp(pattern);
  }
}

/** Time limits for one match and for all matches together, in milliseconds. */
const maxMatchTime = 500;
const maxTotalTime = 2_000;

/** Creates patterns with a time limit. A pattern that timed out is not tried again. */
export function limitedPatterns(): Patterns {
  const unchecked = new Set<string>();
  let remaining = maxTotalTime;

  function matches(pattern: string, expression: RegExp, text: string): boolean {
    if (remaining <= 0) unchecked.add(pattern);
    if (unchecked.has(pattern)) return true;
    const start = performance.now();
    try {
      return withinTime(Math.min(maxMatchTime, remaining), () => expression.test(text));
    } catch (error) {
      if (!(error instanceof TimeLimitExceeded)) throw error;
      unchecked.add(pattern);
      return true;
    } finally {
      remaining -= performance.now() - start;
    }
  }

  const regExp = (pattern: string) => {
    const expression = expressionOf(pattern);
    // ajv caches patterns by their text.
    return { test: (text: string) => matches(pattern, expression, text), toString: () => String(expression) };
  };
  // ajv requires `code`, the name of the function in compiled code.
  return { regExp: Object.assign(regExp, { code: "regExp" }), unchecked };
}
