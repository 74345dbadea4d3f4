import { type InputOf, type OperationId, operations } from "../../src/contract/index.ts";
import { documentedInputOf } from "../../src/contract/operation.ts";
import type { Field } from "../../src/contract/plain/field.ts";
import { fieldsOf } from "../../src/contract/plain/fields.ts";

/** Values of fields for which a value within the limits is not enough. */
const meaningful: { readonly [Id in OperationId]?: Partial<InputOf<Id>> } = {
  createChatCompletion: { model: "sandbox-echo", messages: [{ role: "user", content: "Say this back" }] },
  generateImage: { model_name: "SDXL1.0-base", prompt: "a lighthouse" },
  generateAudio: { text: "Hello" },
};

/** An input that passes every check of an operation, with only the required fields. */
export function validInput(operation: OperationId): Record<string, unknown> {
  const needed = fieldsOf(documentedInputOf(operations[operation])).filter((field) => field.required);
  return {
    ...Object.fromEntries(needed.map((field) => [field.name, validValue(field)])),
    ...meaningful[operation],
  };
}

/** A value within every limit of a field. */
export function validValue(field: Pick<Field, "kind"> & Partial<Field>): unknown {
  if (field.constant !== undefined) return field.constant;
  if (field.choices) return field.choices[0];
  switch (field.kind) {
    case "boolean":
      return true;
    case "number":
    case "integer":
      return field.multipleOf ?? Math.max(field.minimum ?? 1, 1 + (field.exclusiveMinimum ?? 0));
    case "id":
      return 1;
    case "date-time":
      return "2026-12-31T00:00:00Z";
    case "list":
      return Array.from({ length: field.minItems ?? 1 }, () => validValue(field.item ?? { kind: "string" }));
    case "map":
      return { More_Art: validValue(field.item ?? { kind: "string" }) };
    case "shapes":
      return validShape(field.shapes?.[0] ?? []);
    case "object":
      return {};
    case "string":
      return "a".repeat(field.minLength ?? 1);
  }
}

/** An object with the required fields of a shape. */
export const validShape = (shape: readonly Field[]): Record<string, unknown> =>
  Object.fromEntries(shape.filter((field) => field.required).map((field) => [field.name, validValue(field)]));
