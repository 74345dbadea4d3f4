import { limitNames } from "../../contract/plain/field.ts";
import { asList, asRecord, asText, isRecord } from "../../core/json.ts";

/** A JSON schema of an OpenAPI description. */
export type Schema = Readonly<Record<string, unknown>>;

export interface SchemaField {
  readonly name: string;
  /** Such as `string` or `list of integer`. */
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  /** Such as `default 1024` or `at most, in items: 20`. */
  readonly limits: readonly string[];
  /** The fields of an object, or of the items of a list. For a union, the fields of all alternatives. */
  readonly fields: readonly SchemaField[];
}

/** How many levels of nested fields are shown. */
const maxDepth = 5;

/** Reads the schemas of an OpenAPI description. The references in them point to the description's components. */
export function schemaReader(document: Schema) {
  const components = asRecord(asRecord(document.components).schemas);
  const prefix = "#/components/schemas/";

  /** Follows a reference. If a schema has only one alternative besides `null`, returns that alternative. */
  const resolve = (value: unknown): Schema => {
    const schema = asRecord(value);
    const { $ref, anyOf, oneOf } = schema;
    if (typeof $ref === "string") return resolve(components[$ref.replace(prefix, "")]);
    const alternatives = [anyOf, oneOf].flatMap(asList).map(resolve);
    const [only, ...others] = alternatives.filter(({ type }) => type !== "null");
    if (only === undefined || others.length > 0) return schema;
    return { ...only, ...(typeof schema.description === "string" && { description: schema.description }) };
  };

  const alternativesOf = ({ anyOf, oneOf }: Schema): readonly Schema[] =>
    [anyOf, oneOf].flatMap(asList).map(resolve);

  const typeOf = (schema: Schema, depth = 0): string => {
    const alternatives = alternativesOf(schema);
    if (alternatives.length > 0 && depth < maxDepth)
      return [...new Set(alternatives.map((one) => typeOf(one, depth + 1)))].join(" or ");
    const [type = ""] = [schema.type].flat().filter((one) => one !== "null");
    if (type === "array") return `list of ${typeOf(resolve(schema.items), depth + 1)}`;
    if (type === "string" && typeof schema.format === "string") return `string (${schema.format})`;
    return asText(type) || "any";
  };

  const fieldsOf = (value: unknown, depth = 0): readonly SchemaField[] => {
    if (depth >= maxDepth) return [];
    const schema = resolve(value);
    if (schema.type === "array") return fieldsOf(schema.items, depth);
    const alternatives = alternativesOf(schema);
    if (alternatives.length > 0) {
      const all = alternatives.flatMap((one) => fieldsOf(one, depth));
      return [...new Map(all.map((field) => [field.name, field])).values()];
    }
    const required = asList(schema.required);
    return Object.entries(asRecord(schema.properties)).map(([name, property]) => {
      const resolved = resolve(property);
      return {
        name,
        type: typeOf(resolved),
        required: required.includes(name),
        description: asText(resolved.description),
        limits: limitsOf(resolved),
        fields: fieldsOf(resolved, depth + 1),
      };
    });
  };

  /** A sample value that fits a schema. Objects have only their required fields. */
  const sampleOf = (value: unknown, depth = 0): unknown => {
    const schema = resolve(value);
    const { default: defaulted, example, examples, const: constant, enum: choices, minimum } = schema;
    const given = [example, asList(examples)[0], defaulted, constant, asList(choices)[0]];
    const known = given.find((one) => one !== undefined);
    if (known !== undefined) return known;
    const [first] = alternativesOf(schema);
    if (first !== undefined) return sampleOf(first, depth);
    const type = [schema.type].flat().find((one) => one !== "null");
    if (type === "array") return depth < maxDepth ? [sampleOf(schema.items, depth + 1)] : [];
    if (type === "integer" || type === "number") return Math.max(1, Number(minimum ?? 1));
    if (type === "boolean") return true;
    if (type === "string") return "text";
    const fields = Object.entries(asRecord(schema.properties));
    const required = asList(schema.required);
    return Object.fromEntries(
      fields
        .filter(([name]) => required.includes(name))
        .map(([name, property]) => [name, sampleOf(property, depth + 1)]),
    );
  };

  return { fieldsOf, sampleOf, typeOf: (value: unknown) => typeOf(resolve(value)) };
}

export type SchemaReader = ReturnType<typeof schemaReader>;

/** Keywords of JSON Schema, as people read them. */
const words: Readonly<Record<string, string>> = {
  minimum: "at least",
  maximum: "at most",
  exclusiveMinimum: "more than",
  exclusiveMaximum: "less than",
  multipleOf: "a multiple of",
  minLength: "at least, in characters:",
  maxLength: "at most, in characters:",
  minItems: "at least, in items:",
  maxItems: "at most, in items:",
};

/** The limits of a schema as text. Omits the limits of the safe integers, because they apply to every integer. */
function limitsOf(schema: Schema): readonly string[] {
  const { default: defaulted, enum: choices, const: constant, pattern } = schema;
  return [
    ...(choices === undefined ? [] : [`one of ${asList(choices).join(", ")}`]),
    ...(constant === undefined ? [] : [`always ${JSON.stringify(constant)}`]),
    ...limitNames.flatMap((name) => {
      const limit = schema[name];
      const isTrivial = limit === undefined || Math.abs(Number(limit)) === Number.MAX_SAFE_INTEGER;
      return isTrivial ? [] : [`${words[name]} ${limit}`];
    }),
    ...(typeof pattern === "string" ? [`matches ${pattern}`] : []),
    ...(defaulted === undefined || isRecord(defaulted) ? [] : [`default ${JSON.stringify(defaulted)}`]),
  ];
}
