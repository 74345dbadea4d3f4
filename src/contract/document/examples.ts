import type { JsonSchema } from "./responses.ts";

/** Example values by field name. A field without an example gets a value that its schema allows. */
const values: Readonly<Record<string, unknown>> = {
  access: "full",
  amountCents: 250,
  apiKey: "sk-5f0c1b7a92de4e3d",
  audio: "UklGRiQAAABXQVZF",
  code: "BAD_REQUEST",
  content: "Which GPU fits a 70B model?",
  costPerHourCents: 250,
  createdAt: "2026-12-01T12:00:00.000Z",
  cursor: "1020",
  email: "ada@example.com",
  expectedReservedUntil: "2027-01-31T12:00:00Z",
  expectedTotalPriceCents: 180000,
  gpuCount: 8,
  gpuType: "h100",
  host: "192.0.2.1",
  id: 1001,
  image: "iVBORw0KGgoAAAANSUhEUgAA",
  label: "training",
  lastFour: "4e3d",
  message: "Done",
  model: "sandbox-echo",
  model_name: "SDXL1.0-base",
  name: "Ada",
  networkType: "infiniband",
  nextCursor: null,
  openapi: "3.1.0",
  owned_by: "sandbox",
  port: 22,
  prompt: "a lighthouse at dawn",
  publicIp: "192.0.2.1",
  publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU= ada",
  region: "us-central-1",
  rentalId: 1001,
  rentalIds: [1001],
  rentalType: "bare-metal",
  reservedUntil: "2027-01-31T12:00:00.000Z",
  role: "user",
  sizeInGb: 512,
  startedAt: "2026-12-01T12:03:00.000Z",
  status: "Running",
  storageVolumeId: 7,
  termPeriodDays: 30,
  termType: "on-demand",
  terminatedAt: null,
  text: "Good morning",
  title: "Compute and inference service",
  url: "https://api.example.com",
  user: "ubuntu",
  version: "2.0.0",
};

/**
 * Creates an example of a value that matches a schema of the document. If `requiredOnly`, the example has only the
 * required fields: in a request, these are the fields to fill in. Otherwise, it has all fields. `schemas` contains the
 * schemas that references point to.
 */
export function exampleOf(
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
  { requiredOnly, name = "" }: { readonly requiredOnly: boolean; readonly name?: string },
): unknown {
  const resolved = schemas[(schema.$ref ?? "").replace(/^.*\//, "")] ?? schema;
  const inner = (one: unknown, field = name) =>
    exampleOf(one as JsonSchema, schemas, { requiredOnly, name: field });
  if (resolved.const !== undefined) return resolved.const;
  const known = knownValue(name, resolved);
  if (known !== undefined) return known;
  if (resolved.enum) return resolved.enum[0];
  if (resolved.default !== undefined) return resolved.default;
  const [first] = resolved.oneOf ?? resolved.anyOf ?? [];
  if (first !== undefined) return inner(first);
  if (resolved.type === "array") return resolved.items === undefined ? [] : [inner(resolved.items)];
  if (resolved.properties === undefined && typeOf(resolved) !== "object") return scalarExample(resolved);
  const required = resolved.required ?? [];
  return Object.fromEntries(
    Object.entries(resolved.properties ?? {})
      .filter(([field]) => !requiredOnly || required.includes(field))
      .map(([field, property]) => [field, inner(property, field)]),
  );
}

/**
 * The example value for a field name, if the schema allows its type and, in an enum, the value itself. An ID is a
 * number or a string, depending on the schema.
 */
function knownValue(name: string, schema: JsonSchema): unknown {
  const value = values[name];
  const type = typeOf(schema);
  if (value === null) return allowsNull(schema) ? value : undefined;
  if (schema.enum) return schema.enum.find((one) => one === value);
  if (Array.isArray(value)) return type === "array" ? value : undefined;
  if (typeof value === "number") {
    if (type === "string") return String(value);
    return type === "integer" || type === "number" ? value : undefined;
  }
  return type === "string" ? value : undefined;
}

const allowsNull = ({ type, anyOf = [] }: JsonSchema): boolean =>
  [type].flat().includes("null") || anyOf.some((one) => (one as JsonSchema).type === "null");

/** The type of a schema. If the value may also be null, the type other than null. */
const typeOf = ({ type }: JsonSchema): string | undefined =>
  Array.isArray(type) ? type.find((one) => one !== "null") : type;

function scalarExample(schema: JsonSchema): unknown {
  const type = typeOf(schema);
  if (type === "boolean") return true;
  if (type === "number" || type === "integer") return schema.minimum ?? 1;
  return schema.format === "date-time" ? values.createdAt : "example";
}
