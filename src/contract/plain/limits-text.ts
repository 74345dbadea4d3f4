import type { Field, Limits } from "./field.ts";

/** A field's limits in words, such as "at least 8, a multiple of 8"; empty if it has none. */
export function limitsText(field: Field): string {
  if (!field.item) return range(field);
  const each = range(field.item);
  return join([items(field), each && `each ${each}`]);
}

const items = ({ minItems, maxItems }: Limits): string =>
  join([
    minItems !== undefined && `at least ${minItems} item${minItems === 1 ? "" : "s"}`,
    maxItems !== undefined && `at most ${maxItems} items`,
  ]);

function range(limits: Limits): string {
  const { maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength, pattern } = limits;
  const least = limits.minimum;
  // The smallest allowed value that is a multiple.
  const minimum = multipleOf && least ? Math.ceil(least / multipleOf) * multipleOf : least;
  const bounded = (bound: number | undefined) =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  const between =
    bounded(minimum) && bounded(maximum)
      ? `${minimum} to ${maximum}`
      : join([
          bounded(minimum) && `at least ${minimum}`,
          exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
          bounded(maximum) && `at most ${maximum}`,
          exclusiveMaximum !== undefined && `less than ${exclusiveMaximum}`,
        ]);
  const characters =
    minLength !== undefined && maxLength !== undefined
      ? `${minLength} to ${maxLength}`
      : minLength !== undefined && minLength > 1
        ? `at least ${minLength}`
        : maxLength !== undefined && `at most ${maxLength}`;
  return join([
    between,
    multipleOf !== undefined && `a multiple of ${multipleOf}`,
    characters && `${characters} characters`,
    pattern && `matching ${pattern}`,
  ]);
}

const join = (parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join(", ");
