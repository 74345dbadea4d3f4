import { asList, asRecord } from "../../src/core/json.ts";
import { fc } from "./property.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Random values that depend only on a seed. */
export function randomFrom(seed: number) {
  let state = seed;
  /** A number that is at least 0 and less than 1 (mulberry32). */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return { next, whole, pick: <Value>(values: readonly Value[]) => values[whole(0, values.length - 1)] };
}

type Random = ReturnType<typeof randomFrom>;

/**
 * A random value that matches a schema of an OpenAPI document. Numbers stay close to their minimum. `known` returns
 * values to use for a field, such as the IDs of records.
 */
export function randomValue(
  schema: unknown,
  random: Random,
  document: unknown,
  known: (field: string) => readonly unknown[],
): unknown {
  const make = (given: unknown, field: string): unknown => {
    const own = resolved(given, document);
    const values = own.type === "array" ? [] : known(field);
    if (values.length > 0 && random.next() < 0.8) return random.pick(values);
    if (own.const !== undefined) return own.const;
    if (own.enum !== undefined) return random.pick(asList(own.enum));
    const choices = own.oneOf ?? own.anyOf;
    if (choices !== undefined) return make(random.pick(asList(choices)), field);
    const type = Array.isArray(own.type) ? random.pick(own.type) : own.type;
    switch (type ?? (own.properties === undefined ? "null" : "object")) {
      case "object":
        return objectOf(own);
      case "array": {
        const low = Number(own.minItems ?? 0);
        const length = random.whole(low, Math.min(Number(own.maxItems ?? low + 2), low + 2));
        return Array.from({ length }, () => make(own.items, field));
      }
      case "integer":
      case "number":
        return numberOf(own, type === "integer");
      case "boolean":
        return random.next() < 0.5;
      case "string":
        return textOf(own);
      default:
        return null;
    }
  };
  const objectOf = ({ properties, required }: Schema) =>
    Object.fromEntries(
      Object.entries(asRecord(properties))
        .filter(([name]) => asList(required).includes(name) || random.next() < 0.3)
        .map(([name, inner]) => [name, make(inner, name)]),
    );
  const numberOf = ({ minimum, exclusiveMinimum, maximum, multipleOf }: Schema, isWhole: boolean): number => {
    const step = Number(multipleOf ?? 1);
    const low = Math.ceil(Number(minimum ?? Number(exclusiveMinimum ?? -1) + 1) / step) * step;
    const number = low + random.whole(0, 8) * step;
    const inRange = maximum === undefined ? number : Math.min(number, Number(maximum));
    const hasFraction = !isWhole && multipleOf === undefined && inRange !== Number(maximum);
    return hasFraction && random.next() < 0.3 ? inRange + 0.5 : inRange;
  };
  const textOf = ({ pattern, format, minLength, maxLength }: Schema): string => {
    if (format === "date-time") return new Date(Date.UTC(2027, random.whole(0, 11), 1)).toISOString();
    const low = Number(minLength ?? 0);
    const seed = random.whole(1, 2 ** 30);
    const texts =
      typeof pattern === "string"
        ? fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length >= low && length <= 60)
        : fc.string({ minLength: low, maxLength: Math.min(Number(maxLength ?? low + 20), low + 20) });
    return fc.sample(texts, { seed, numRuns: 1 })[0] ?? "";
  };
  return make(schema, "");
}

/** The schema that a reference points to, or the schema itself. */
function resolved(schema: unknown, document: unknown): Schema {
  const { $ref, ...own } = asRecord(schema);
  if (typeof $ref !== "string") return own;
  const target = $ref
    .split("/")
    .slice(1)
    .reduce<unknown>((value, step) => asRecord(value)[step], document);
  return { ...resolved(target, document), ...own };
}
