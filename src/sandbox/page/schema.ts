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
  /** The only allowed value; undefined if several values are allowed. */
  readonly constant: unknown;
  /** Such as `default 1024` or `at most, in items: 20`. */
  readonly limits: readonly string[];
  /** The fields of an object, or of the items of a list. For a union, the fields of all alternatives. */
  readonly fields: readonly SchemaField[];
}

/** An operation of an OpenAPI description. */
export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Schema;
  readonly reader: SchemaReader;
  /** Whether it is a control of the sandbox. Controls need no key. */
  readonly isControl: boolean;
}

/** The JSON body that an operation accepts, with its schema and its example; undefined if it accepts none. */
export function jsonBody({ requestBody }: Schema): Schema | undefined {
  const content = asRecord(asRecord(requestBody).content)["application/json"];
  return content === undefined ? undefined : asRecord(content);
}

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

  /** `within` has the schemas that contain this one. It ends the recursion if a schema contains itself. */
  const typeOf = (schema: Schema, within: readonly Schema[] = []): string => {
    if (within.includes(schema)) return "any";
    const inner = [...within, schema];
    const alternatives = alternativesOf(schema);
    if (alternatives.length > 0)
      return [...new Set(alternatives.map((one) => typeOf(one, inner)))].join(" or ");
    const [type = ""] = [schema.type].flat().filter((one) => one !== "null");
    if (type === "array") return `list of ${typeOf(resolve(schema.items), inner)}`;
    if (type === "string" && typeof schema.format === "string") return `string (${schema.format})`;
    return asText(type) || "any";
  };

  const fieldsOf = (value: unknown, within: readonly Schema[] = []): readonly SchemaField[] => {
    const schema = resolve(value);
    if (within.includes(schema)) return [];
    const inner = [...within, schema];
    if (schema.type === "array") return fieldsOf(schema.items, inner);
    const alternatives = alternativesOf(schema);
    if (alternatives.length > 0) return merged(alternatives.map((one) => fieldsOf(one, inner)));
    const required = asList(schema.required);
    return Object.entries(asRecord(schema.properties)).map(([name, property]) => {
      const resolved = resolve(property);
      return {
        name,
        type: typeOf(resolved),
        required: required.includes(name),
        description: asText(resolved.description),
        constant: resolved.const,
        limits: limitsOf(resolved),
        fields: fieldsOf(resolved, inner),
      };
    });
  };

  return { fieldsOf };
}

export type SchemaReader = ReturnType<typeof schemaReader>;

/**
 * The fields of a union, each of them once. If a field such as `kind` has a fixed value in each alternative, every
 * field that only some alternatives have gets a limit such as `only with kind "quota"`.
 */
function merged(alternatives: readonly (readonly SchemaField[])[]): readonly SchemaField[] {
  const objects = alternatives.filter((fields) => fields.length > 0);
  const names = new Set(objects.flat().map(({ name }) => name));
  const byName = new Map(
    [...names].map((name) => [name, objects.map((fields) => fields.find((one) => one.name === name))]),
  );
  const [kind, kinds = []] =
    [...byName].find(([, found]) => found.every((one) => one?.constant !== undefined)) ?? [];
  return [...byName].flatMap(([name, found]) => {
    const known = found.filter((one) => one !== undefined);
    const [first] = known;
    if (first === undefined) return [];
    const required = known.every((one) => one.required);
    if (known.length === objects.length) {
      const values = [...new Set(kinds.map((one) => JSON.stringify(one?.constant)))];
      return {
        ...first,
        required,
        ...(name === kind && values.length > 1 && { limits: [`one of ${values.join(", ")}`] }),
      };
    }
    const values = kinds.flatMap((one, at) => (found[at] ? [JSON.stringify(one?.constant)] : []));
    const condition = `${required ? "required with" : "only with"} ${kind} ${values.join(" or ")}`;
    return { ...first, required: false, limits: kind ? [condition, ...first.limits] : first.limits };
  });
}

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
