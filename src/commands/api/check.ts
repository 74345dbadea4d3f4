import type { Description } from "../../client/document.ts";
import type { SchemaIssue } from "../../client/schema-check.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../errors.ts";
import { isOwn } from "./headers.ts";
import { nearest } from "./nearest.ts";
import type { Request } from "./request-of.ts";

interface Issue {
  readonly flag: string;
  readonly message: string;
}

/** Kinds of values in a body, which a text is none of. */
const kinds = /^must be (an? )?(number|integer|boolean|null|array|object)/;

/**
 * Holds a call against what the description says of its operation. Throws `UsageError` that names each field at fault;
 * says so where a schema cannot be read.
 */
export async function checkRequest(
  { operation, values, body, wholeBody }: Request,
  description: Description,
  { say }: Pick<Context, "say">,
): Promise<void> {
  if (operation === undefined) return;
  const [{ schemaIssues }, { limitedPatterns }] = await Promise.all([
    import("../../client/schema-check.ts"),
    import("../../client/patterns.ts"),
  ]);
  const patterns = limitedPatterns();
  const found: Issue[] = [];
  let wantsKind = false;
  const hold = (schema: unknown, value: unknown, name: string, fromText: boolean) => {
    const issues = schemaIssues(schema, value, { description, fromText, patterns });
    wantsKind ||= !fromText && issues?.some(({ message }) => kinds.test(message)) === true;
    if (issues)
      found.push(...issues.map((issue) => ({ flag: placeOf(name, issue), message: issue.message })));
    else say(`What the description says of ${name || "the body"} cannot be read, so it was not checked.`);
  };
  for (const { name, in: place, required, schema } of operation.parameters) {
    if (isOwn({ in: place, name })) continue;
    if (place === "cookie" && required) {
      found.push({ flag: name, message: "is required as a cookie, and cookies are not supported" });
    }
    const known = place === "path" || place === "query" || place === "header";
    const given = known ? values[place] : undefined;
    const value = given?.[name];
    if (value !== undefined) hold(schema, value, name, true);
    else if (given && required) found.push({ flag: name, message: "is required" });
  }
  for (const name of Object.keys(values.query)) {
    const known = operation.parameters.map((parameter) => parameter.name);
    if (!known.some((one) => one === name || one.startsWith(`${name}[`))) {
      found.push({ flag: name, message: (wholeBody ? besideBody : noField) + meant(name, known) });
    }
  }
  if (operation.body?.schema !== undefined && body !== undefined)
    hold(operation.body.schema, body, "", false);
  for (const pattern of patterns.unchecked) {
    say(`Whether a value fits ${pattern} took too long to tell, so it was not checked.`);
  }
  if (found.length > 0) throw refused(found, wantsKind);
}

const noField = "is not a field of this operation";

const besideBody =
  "is no path, query or header parameter of this operation, and just those can be given with -f and -F beside --input, which gives the body whole";

const meant = (name: string, known: readonly string[]): string => {
  const like = nearest(name, known);
  return like.length > 0 ? `; did you mean ${like.join(", ")}?` : "";
};

/** The field as `-f` takes it. */
function placeOf(name: string, { path }: SchemaIssue): string {
  const [first = "the body", ...rest] = name === "" ? path : [name, ...path];
  return [first, ...rest.map((step) => `[${step}]`)].join("");
}

function refused(issues: readonly Issue[], wantsKind: boolean): UsageError {
  const [first] = issues;
  const typed = wantsKind ? " -F gives numbers, true, false and null." : "";
  const hint = `Nothing was sent.${typed} --no-validate leaves it to the service.`;
  if (first && issues.length === 1) return new UsageError(`${first.flag} ${first.message}`, { hint });
  return new UsageError(`${issues.length} values cannot be used`, { issues, hint });
}
