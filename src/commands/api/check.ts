import type { Context } from "../../command-kit/context.ts";
import { invalidValues } from "../../core/text.ts";
import type { Description } from "../../openapi/document.ts";
import type { SchemaIssue } from "../../openapi/schema-check.ts";
import { similar } from "./find.ts";
import { isOwn, type Request } from "./request.ts";

/** Messages about a body value that should not be text. */
const kinds = /^must be (an? )?(number|integer|boolean|null|array|object)/;

/**
 * Checks a request against the description of its operation. Throws `UsageError` that names each field at fault; says so
 * where a schema cannot be read.
 */
export async function checkRequest(
  { operation, values, body, wholeBody }: Request,
  description: Description,
  { say }: Pick<Context, "say">,
): Promise<void> {
  if (operation === undefined) return;
  const { limitedPatterns, schemaIssues } = await import("../../openapi/schema-check.ts");
  const patterns = limitedPatterns();
  const found: { flag: string; message: string }[] = [];
  let wantsKind = false;
  const check = (schema: unknown, value: unknown, name: string, fromText: boolean) => {
    const issues = schemaIssues(schema, value, { description, fromText, patterns });
    wantsKind ||= !fromText && issues?.some(({ message }) => kinds.test(message)) === true;
    if (issues) found.push(...issues.map(({ path, message }) => ({ flag: placeOf(name, path), message })));
    else say(`The description of ${name || "the body"} cannot be read, so it was not checked.`);
  };
  for (const { name, in: place, required, schema } of operation.parameters) {
    if (isOwn({ in: place, name })) continue;
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
    say(`Matching a value against ${pattern} took too long, so it was not checked.`);
  }
  if (found.length === 0) return;
  const kindHint = wantsKind ? " -F sends numbers, true, false and null." : "";
  throw invalidValues(found, `Nothing was sent.${kindHint} --no-validate leaves it to the service.`);
}

const notAField = "is not a field of this operation";

const notBesideBody =
  "is not a path, query or header parameter of this operation; with --input, which is the whole body, -f and -F can set only those";

const meant = (name: string, known: readonly string[]): string => {
  const like = similar(name, known);
  return like.length > 0 ? `; did you mean ${like.join(", ")}?` : "";
};

/** The field as `-f` takes it. */
function placeOf(name: string, path: SchemaIssue["path"]): string {
  const [first = "the body", ...rest] = name === "" ? path : [name, ...path];
  return [first, ...rest.map((step) => `[${step}]`)].join("");
}
