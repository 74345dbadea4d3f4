import { type Description, isObject } from "./document.ts";
import { resolved } from "./reference.ts";

/** How far down the names of an answer are looked for. */
const deepest = 3;

/**
 * The names that an object of a schema may have, those of the objects in it too; none for a list. Nothing when the
 * schema does not say.
 */
export function schemaNames(
  description: Description,
  schema: unknown,
  depth = 0,
): readonly string[] | undefined {
  const found = resolved(description, schema);
  if (!isObject(found) || depth > deepest) return undefined;
  const parts = [found.allOf, found.oneOf, found.anyOf].flatMap((some) => (Array.isArray(some) ? some : []));
  const inner = parts.map((part) => schemaNames(description, part, depth + 1));
  const own = isObject(found.properties)
    ? Object.entries(found.properties).flatMap(([name, property]) => {
        const below = resolved(description, property);
        const isList = isObject(below) && below.type === "array";
        return [name, ...((isList ? undefined : schemaNames(description, below, depth + 1)) ?? [])];
      })
    : undefined;
  const known = [own, ...inner].filter((names) => names !== undefined);
  if (known.length > 0) return known.flat();
  return found.type === "array" ? [] : undefined;
}
