import { basename, extname } from "node:path";
import type { Context } from "../../command-kit/context.ts";
import { SchemaMismatch, UsageError } from "../../core/errors.ts";
import { asRecord, isRecord, parseJson } from "../../core/json.ts";
import { readText } from "../../core/text.ts";
import { type CompletionSummary, incompleteFor } from "./completion.ts";

/** A JSON Schema that the answer must match. */
interface AnswerSchema {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Reads a JSON Schema. Throws `UsageError` if it is invalid. */
export async function readSchema(path: string, files: Pick<Context["files"], "read">): Promise<AnswerSchema> {
  const schema = parseJson(await readText(path, "--schema", files));
  if (!isRecord(schema)) throw new UsageError(`--schema ${path} must be a JSON object`);
  const { jsonSchemaProblem } = await import("../../openapi/json-schema.ts");
  const problem = jsonSchemaProblem(schema);
  if (problem) throw new UsageError(`--schema ${path} is not a valid JSON Schema: ${problem}`);
  const name = path === "-" ? "" : basename(path, extname(path)).replace(/\.schema$/, "");
  return { name: name.replace(/[^\w-]/g, "_").slice(0, maxName) || "answer", schema };
}

/** The hint for an answer that is not JSON, if its finish reason does not explain why. */
const ignoredSchema = "The model ignored --schema. Try again, or use another model.";

/** Services accept schema names of at most this many characters. */
const maxName = 64;

/** The `response_format` field, which asks the service for an answer that matches the schema. */
export const responseFormat = ({ name, schema }: AnswerSchema) => ({
  type: "json_schema",
  json_schema: { name, strict: true, schema },
});

const unchecked =
  "The answer was not checked, because its schema is too complex or uses something that gpuctl does not support.";

/**
 * Checks an answer against the schema in `format`, a value that `responseFormat` returned. Throws `SchemaMismatch` if
 * the answer is not JSON or does not match the schema. If gpuctl cannot use the schema, says that the answer was not
 * checked.
 */
export async function checkAnswer(
  { text, finish = "" }: Pick<CompletionSummary, "text" | "finish">,
  format: unknown,
  { say }: Pick<Context, "say">,
): Promise<void> {
  const value = parseJson(text);
  const { schema } = asRecord(asRecord(format).json_schema);
  if (!isRecord(schema)) return;
  if (value === undefined) {
    const reason = incompleteFor[finish];
    if (reason === undefined) throw new SchemaMismatch("the answer is not JSON", [], ignoredSchema);
    throw new SchemaMismatch(`the answer is not JSON: it ${reason.happened}`, [], reason.hint);
  }
  const { jsonSchemaIssues } = await import("../../openapi/json-schema.ts");
  const issues = jsonSchemaIssues(schema, value);
  if (issues === undefined) say(unchecked);
  if (!issues || issues.length === 0) return;
  throw new SchemaMismatch("the answer does not match the schema", issues);
}
