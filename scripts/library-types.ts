import { compile, type JSONSchema } from "json-schema-to-typescript";
import * as z from "zod";
import { operations } from "../src/contract/index.ts";
import { documentedInputOf, type Operation } from "../src/contract/operation.ts";
import type { Field } from "../src/contract/plain/field.ts";
import { fieldsOf } from "../src/contract/plain/fields.ts";
import { limitsText } from "../src/contract/plain/limits-text.ts";
import { assumedOperations } from "../src/sandbox/assumed/index.ts";
import { seedDocument } from "../src/sandbox/seed/read.ts";

type Json = z.core.JSONSchema.BaseSchema;
type Definitions = Record<string, Json>;

const all: readonly Operation[] = Object.values(operations);

/**
 * TypeScript types that do not need zod: the input and the output of each operation, the records in them, and `Inputs`
 * and `Outputs` by operation ID.
 */
export async function libraryTypes(): Promise<string> {
  const $defs: Definitions = {};
  const inputs: Record<string, Json> = {};
  const outputs: Record<string, Json> = {};
  for (const operation of all) {
    const { id, input, output } = operation;
    const name = define($defs, `${capital(id)}Input`, input, "input");
    addLimits($defs[name], fieldsOf(documentedInputOf(operation)), $defs);
    inputs[id] = described(ref(name), aboutOperation(operation));
    outputs[id] = ref(define($defs, `${capital(id)}Output`, output, "output"));
  }
  const assumed = assumedRecords();
  for (const [name, schema] of Object.entries(assumed)) $defs[name] ??= schema;
  $defs.Inputs = { ...object(inputs), description: "The input of each operation." };
  $defs.Outputs = { ...object(outputs), description: "The output of each operation." };
  const named = Object.fromEntries(Object.keys(assumed).map((name) => [name, ref(name)]));
  const root = {
    title: "Contract",
    $defs,
    ...object({ ...named, inputs: ref("Inputs"), outputs: ref("Outputs") }),
  };
  const types = await compile(plain(root), "Contract", {
    additionalProperties: false,
    bannerComment: "",
    ignoreMinAndMaxItems: true,
    style: { printWidth: 110 },
  });
  const streamed = all.filter(({ streams }) => streams).map(({ id }) => JSON.stringify(id));
  return `${types.replace(/^export interface Contract \{.*?^\}\n/ms, "")}
/** Operations that can stream their response. */
export type StreamedId = ${streamed.join(" | ")};
${aliases($defs, outputs)}`;
}

/** The TypeScript type of a seed of the sandbox. */
export async function seedTypes(): Promise<string> {
  const { $schema: _, ...schema } = z.toJSONSchema(seedDocument, { io: "input" });
  return compile(plain({ ...schema, title: "Seed", description: "What a sandbox starts with." }), "Seed", {
    additionalProperties: false,
    bannerComment: "",
    ignoreMinAndMaxItems: true,
    style: { printWidth: 110 },
  });
}

/**
 * The records of the operations that the sandbox assumes. The service's documentation only names these operations, so
 * a real service may send other fields. For this reason, all fields are optional, and all except IDs may be null.
 */
function assumedRecords(): Definitions {
  const records: Definitions = {};
  for (const { output } of Object.values<Operation>(assumedOperations)) {
    const { $schema: _, $defs } = z.toJSONSchema(z.object({ output }), { io: "output" });
    Object.assign(records, $defs);
  }
  const isPage = ({ properties = {} }: Json) => "nextCursor" in properties || "data" in properties;
  return Object.fromEntries(
    Object.entries(records)
      .filter(([name, record]) => name !== "Id" && !isPage(record))
      .map(([name, record]) => [name, optionalFields(record)]),
  );
}

function optionalFields({ required: _, properties = {}, ...schema }: Json): Json {
  const fields = Object.entries(properties).map(([name, property]) => {
    const { enum: __, const: ___, ...type } = property as Json;
    if (name === "id" || name === "rentalId") return [name, ref("Id")];
    return [name, { ...type, ...(typeof type.type === "string" && { type: [type.type, "null"] }) }];
  });
  return { ...schema, properties: Object.fromEntries(fields), additionalProperties: {} };
}

/** Type aliases for operations that return a shared record, so that each operation has an output type with its name. */
const aliases = ($defs: Definitions, outputs: Record<string, Json>): string =>
  Object.entries(outputs)
    .map(([id, output]) => [`${capital(id)}Output`, output.$ref?.replace(local, "")])
    .filter(([own = ""]) => $defs[own] === undefined)
    .map(([own, record]) => `export type ${own} = ${record};\n`)
    .join("");

/** Converts between the types that zod and json-schema-to-typescript have for JSON Schema. */
const plain = (schema: Json): JSONSchema => JSON.parse(JSON.stringify(schema));

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const local = "#/$defs/";
const ref = (name: string): Json => ({ $ref: local + name });
const object = (properties: Record<string, Json>): Json => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});

/**
 * Adds a type for a schema and returns the name of the type: `name`, unless the schema is a record with its own name.
 */
function define($defs: Definitions, name: string, type: z.ZodType, io: "input" | "output"): string {
  const { $schema: _, $defs: records, ...own } = z.toJSONSchema(type, { io });
  Object.assign($defs, records);
  if (own.$ref !== undefined) return own.$ref.replace(local, "");
  const empty = own.type === "object" && Object.keys(own.properties ?? {}).length === 0;
  $defs[name] = empty ? { tsType: "Record<string, never>" } : own;
  return name;
}

/** Adds limits and defaults to the descriptions of an object's properties. */
function addLimits(schema: Json | undefined, fields: readonly Field[], $defs: Definitions): void {
  const properties = schema?.properties ?? {};
  const named = (type: Json | undefined): Json | undefined => $defs[type?.$ref?.replace(local, "") ?? ""];
  for (const field of fields) {
    const { minItems: _, maxItems: __, ...property } = properties[field.name] as Json;
    for (const [at, shape] of (field.shapes ?? []).entries())
      addLimits(named(property.oneOf?.[at]), shape, $defs);
    addLimits(named(property.items as Json), field.item?.fields ?? [], $defs);
    properties[field.name] = described(property, aboutField({ ...field, ...about(property) }));
  }
}

/** Wraps a reference in `allOf`, because a reference cannot have its own description. */
const described = ({ $ref, ...schema }: Json, description: string): Json => ({
  ...schema,
  ...($ref && { allOf: [{ $ref }] }),
  description,
});

/**
 * The description of a field in gpuctl's own schema, which may accept more than the service documents. It replaces the
 * documented description.
 */
const about = ({ description }: Json) => description !== undefined && { description };

function aboutField(field: Field): string {
  const notes = [limitsText(field), field.default !== undefined && `default ${field.default}`].filter(
    Boolean,
  );
  return notes.length === 0 ? field.description : `${field.description} (${notes.join("; ")})`;
}

function aboutOperation({ method, path, summary, rules = [], replacedBy, sunset }: Operation): string {
  const successor = all.find((one) => one.method === replacedBy?.method && one.path === replacedBy.path);
  return [
    `${summary}: \`${method} ${path}\`.`,
    ...(rules.length > 0 ? [rules.map(({ text }) => `- ${text}`).join("\n")] : []),
    ...(sunset ? [`Removed on ${sunset}.`] : []),
    ...(successor ? [`@deprecated Use ${successor.id}.`] : []),
  ].join("\n\n");
}
