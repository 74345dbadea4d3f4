import type { Context } from "../../command-kit/context.ts";
import { invalidValues } from "../../core/text.ts";
import type { Description } from "../../openapi/document.ts";
import { type DescribedRequest, isReservedHeader } from "../../openapi/request.ts";
import type { SchemaIssue } from "../../openapi/schema-check.ts";
import { similar } from "./find.ts";

/** Matches messages such as `must be an integer`, which require a JSON type other than string. */
const typeMessages = /^must be (an? )?(number|integer|boolean|null|array|object)/;

/**
 * Checks a request against the description of its operation. Throws a `UsageError` that names each invalid field.
 * Reports what was not checked because a schema cannot be used or a pattern takes too long.
 */
export async function checkRequest(
  { operation, values, body, wholeBody }: DescribedRequest,
  description: Description,
  { say }: Pick<Context, "say">,
): Promise<void> {
  if (operation === undefined) return;
  const { limitedPatterns, schemaIssues } = await import("../../openapi/schema-check.ts");
  const patterns = limitedPatterns();
  const found: { flag: string; message: string }[] = [];
  let hasWrongType = false;
  const check = (schema: unknown, value: unknown, name: string, fromText: boolean) => {
    const issues = schemaIssues(schema, value, { description, fromText, patterns });
    hasWrongType ||= !fromText && issues?.some(({ message }) => typeMessages.test(message)) === true;
    if (issues) found.push(...issues.map(({ path, message }) => ({ flag: fieldName(name, path), message })));
    else
      say(
        `The schema of ${name || "the body"} is invalid or too complex, so ${name || "the body"} was not checked.`,
      );
  };
  for (const { name, in: place, required, schema } of operation.parameters) {
    if (isReservedHeader({ in: place, name })) continue;
    if (place === "cookie" && required) {
      found.push({ flag: name, message: "is required as a cookie, and cookies are not supported" });
    }
    const known = place === "path" || place === "query" || place === "header";
    const given = known ? values[place] : undefined;
    const value = given?.[name];
    if (value !== undefined) check(schema, value, name, true);
    else if (given && required) found.push({ flag: name, message: "is required" });
  }
  for (const name of Object.keys(values.query)) {
    const known = operation.parameters.map((parameter) => parameter.name);
    if (!known.some((one) => one === name || one.startsWith(`${name}[`))) {
      found.push({ flag: name, message: (wholeBody ? notBesideBody : notAField) + meant(name, known) });
    }
  }
  if (operation.body?.schema !== undefined && body !== undefined)
    check(operation.body.schema, body, "", false);
  for (const pattern of patterns.unchecked) {
    say(`Matching a value against ${pattern} took too long, so the value was not checked.`);
  }
  if (found.length === 0) return;
  const typeHint = hasWrongType ? " -F sends numbers, true, false and null." : "";
  throw invalidValues(found, `Nothing was sent.${typeHint} --no-validate sends the request unchecked.`);
}

const notAField = "is not a field of this operation";

const notBesideBody =
  "is not a path, query or header parameter of this operation; --input is the whole body, so -f and -F can set only parameters";

const meant = (name: string, known: readonly string[]): string => {
  const like = similar(name, known);
  return like.length > 0 ? `; did you mean ${like.join(", ")}?` : "";
};

/** The name of a field as `-f` takes it, such as `a[b]`; `the body` if the value is the body itself. */
function fieldName(name: string, path: SchemaIssue["path"]): string {
  const [first = "the body", ...rest] = name === "" ? path : [name, ...path];
  return [first, ...rest.map((step) => `[${step}]`)].join("");
}
