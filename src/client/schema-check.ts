import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { type Description, isObject } from "./document.ts";
import type { Patterns } from "./patterns.ts";
import { inToday, schemaInToday } from "./schema-dialect.ts";
import { saying } from "./schema-words.ts";

/** What is wrong with a value; `path` leads to it. */
export interface SchemaIssue {
  readonly path: readonly string[];
  readonly message: string;
}

interface Checking {
  readonly description: Description;
  /** Texts count as the numbers and booleans that they say, as a query and a path carry them. */
  readonly fromText: boolean;
  /** What tries the patterns of the schema. */
  readonly patterns: Patterns;
}

const documentId = "openapi:/description";

/**
 * Holds a value against a schema of a description (JSON Schema 2020-12, references within the document). Nothing when
 * the schema cannot be read.
 */
export function schemaIssues(
  schema: unknown,
  value: unknown,
  checking: Checking,
): readonly SchemaIssue[] | undefined {
  try {
    return issues(schema, value, checking, true);
  } catch {
    // A pattern that is none for Unicode may be one without; other faults of a schema show again.
  }
  try {
    return issues(schema, value, checking, false);
  } catch {
    return undefined;
  }
}

function issues(
  schema: unknown,
  value: unknown,
  checking: Checking,
  unicodeRegExp: boolean,
): readonly SchemaIssue[] {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    logger: false,
    verbose: true,
    unicodeRegExp,
    code: { regExp: checking.patterns.regExp },
    coerceTypes: checking.fromText ? "array" : false,
  });
  formats.default(ajv);
  ajv.addSchema(inToday(checking.description), documentId);
  const today = schemaInToday(schema, checking.description);
  const check = ajv.compile({ type: "object", properties: { value: anchored(today) } });
  if (check({ value: structuredClone(value) })) return [];
  return told(check.errors ?? [], (shape, part) => issues(shape, part, checking, unicodeRegExp));
}

/** References of the document lead into it from wherever the schema stands. */
function anchored(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema ?? {}), (key, value) =>
    key === "$ref" && typeof value === "string" && value.startsWith("#") ? documentId + value : value,
  );
}

type Issues = (shape: unknown, part: unknown) => readonly SchemaIssue[];

/** Of a choice of shapes, which tells what is wrong with each, just what the likeliest lacks. */
function told(errors: readonly ErrorObject[], again: Issues): readonly SchemaIssue[] {
  const [choice] = errors
    .filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf")
    .sort((a, b) => a.instancePath.length - b.instancePath.length);
  if (!choice) return errors.map(issueOf);
  const others = errors.filter(
    ({ instancePath }) => !`${instancePath}/`.startsWith(`${choice.instancePath}/`),
  );
  return [...told(others, again), ...ofChoice(choice, again)];
}

function ofChoice(choice: ErrorObject, again: Issues): readonly SchemaIssue[] {
  const shapes: readonly unknown[] = Array.isArray(choice.schema) ? choice.schema : [];
  const path = pathOf(choice.instancePath);
  const wrong = shapes.map((shape) => again(shape, choice.data)).filter((found) => found.length > 0);
  if (!isObject(choice.data)) {
    const messages = new Set(wrong.flatMap((found) => found.map(({ message }) => message)));
    return [{ path, message: [...messages].join(", or ") || "must fit just one of several shapes" }];
  }
  const [likeliest = []] = wrong.sort((a, b) => misfit(a) - misfit(b));
  return likeliest.map((issue) => ({ path: [...path, ...issue.path], message: issue.message }));
}

/** A field that names the shape and names another one weighs more than anything that is missing. */
const misfit = (found: readonly SchemaIssue[]): number =>
  found.length + (found.some(({ message }) => message.startsWith(constant)) ? 1_000 : 0);

const constant = "must be just";

function issueOf({ instancePath, keyword, params, message = "is wrong" }: ErrorObject): SchemaIssue {
  const path = pathOf(instancePath);
  switch (keyword) {
    case "required":
      return { path: [...path, String(params.missingProperty)], message: "is required" };
    case "additionalProperties":
      return {
        path: [...path, String(params.additionalProperty)],
        message: "is not a field of this operation",
      };
    case "unevaluatedProperties":
      return {
        path: [...path, String(params.unevaluatedProperty)],
        message: "is not a field of this operation",
      };
    case "enum":
      return { path, message: `must be one of ${params.allowedValues.join(", ")}` };
    case "const":
      return { path, message: `${constant} ${JSON.stringify(params.allowedValue)}` };
    default:
      return { path, message: saying(keyword, params) ?? message };
  }
}

/** The steps of a pointer that starts at the wrapper of the value. */
const pathOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(2)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
