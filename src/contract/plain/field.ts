/**
 * A field of an input as plain data: what a flag, a prompt, a help text or a manual page needs to know of it.
 * Made from the schemas by `fields.ts`; nothing here loads zod.
 */
export interface Field extends Limits {
  /** Its name on the wire, such as `gpuCount`. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description: string;
  /** What the service takes when the field is left out. */
  readonly default?: string | number | boolean;
  /** What a `list` or a `map` holds. */
  readonly item?: Item;
  /** The shapes that a `shapes` field may have. */
  readonly shapes?: readonly (readonly Field[])[];
}

/** A value inside a list or a map; an `object` has fields of its own. */
export interface Item extends Limits {
  readonly kind: FieldKind;
  readonly fields?: readonly Field[];
}

export type FieldKind =
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | "id"
  | "date-time"
  | "list"
  | "map"
  | "object"
  | "shapes";

/** The limits that are numbers, by their names in JSON Schema. */
export const limitNames = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
] as const;

type NumberLimits = { readonly [Name in (typeof limitNames)[number]]?: number };

export interface Limits extends NumberLimits {
  readonly choices?: readonly string[];
  readonly constant?: boolean;
  readonly pattern?: string;
}
