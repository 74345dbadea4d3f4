/**
 * An input field as plain data. The data is generated, so that flags, prompts, help and manual pages do not need to
 * load Zod.
 */
export interface Field extends Limits {
  /** The name in requests, such as `gpuCount`. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description: string;
  /** The value that the service uses when the field is omitted. */
  readonly default?: string | number | boolean;
  /** The items of a `list` or the values of a `map`. */
  readonly item?: Item;
  /** The alternatives of a `shapes` field. */
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

/** The JSON Schema keywords of numeric limits. */
export const limitNames = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
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
