import type { DescribedOperation } from "../../openapi/described.ts";
import { type Description, membersOf, merged, type Schema } from "../../openapi/document.ts";
import { destroys, isOwn } from "./request.ts";

/** A command line that calls an operation with what it needs. */
export function sampleCall(description: Description, operation: DescribedOperation): string {
  const { id, method, path, parameters, body } = operation;
  const given = parameters
    .filter((parameter) => parameter.required && parameter.in !== "cookie" && !isOwn(parameter))
    .flatMap(({ name, schema }) => flags(name, sample(description, schema)));
  const inBody = body?.required === true ? flags("", sample(description, body.schema)) : [];
  const target = id.includes(" ") ? `${method} ${path}` : id;
  return ["gpuctl api call", target, ...given, ...inBody, ...(destroys(operation) ? ["--yes"] : [])].join(
    " ",
  );
}

/** A value as `-f` and `-F` flags; a root has no name. */
function flags(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => flags(`${name}[]`, item));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) =>
      flags(name === "" ? key : `${name}[${key}]`, inner),
    );
  }
  const word = `${name}=${value}`;
  const shown = /^[\w=.:/@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  return [typeof value === "string" ? "-f" : "-F", shown];
}

const maxDepth = 6;

/** A value that fits a schema as far as the schema says. */
function sample(description: Description, schema: unknown, depth = 0): unknown {
  const found = merged(description, schema);
  const shown =
    found.example ?? (Array.isArray(found.examples) ? found.examples[0] : undefined) ?? found.const;
  if (shown !== undefined) return shown;
  if (found.default !== undefined) return found.default;
  if (Array.isArray(found.enum)) return found.enum[0];
  const shapes = [found.oneOf, found.anyOf].find(Array.isArray);
  if (shapes && found.properties === undefined) return sample(description, shapes[0], depth + 1);
  const type = Array.isArray(found.type) ? found.type[0] : found.type;
  if (type === "integer" || type === "number") return number(found);
  if (type === "boolean") return true;
  if (type === "array") {
    const items = Math.max(1, Number(found.minItems ?? 1));
    return depth > maxDepth
      ? []
      : Array.from({ length: items }, () => sample(description, found.items, depth + 1));
  }
  if (type === "string") return text(found);
  const { properties, required } = membersOf(description, found);
  if (depth > maxDepth) return {};
  return Object.fromEntries(required.map((name) => [name, sample(description, properties[name], depth + 1)]));
}

function number({ minimum, exclusiveMinimum, multipleOf, maximum }: Schema): number {
  const lowest = Math.max(Number(minimum ?? 1), Number(exclusiveMinimum ?? 0) + 1);
  const step = Number(multipleOf ?? 0);
  const value = step > 0 ? Math.max(step, Math.ceil(lowest / step) * step) : lowest;
  return typeof maximum === "number" ? Math.min(value, maximum) : value;
}

function text({ format, minLength }: Schema): string {
  if (format === "date-time") return "2027-01-31T00:00:00Z";
  if (format === "date") return "2027-01-31";
  if (format === "email") return "ada@example.com";
  if (format === "uri") return "https://example.com";
  if (format === "uuid") return "00000000-0000-4000-8000-000000000000";
  return "text".padEnd(Math.min(Number(minLength ?? 0), 200), "-");
}
