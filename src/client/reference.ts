import { type Description, isObject } from "./document.ts";

/** So many references may lead to one another. */
const longestChain = 32;

/**
 * What a `$ref` within the document leads to; anything else as it is. Nothing when it leads nowhere, out of the
 * document, or in a circle.
 */
export function resolved(description: Description, value: unknown): unknown {
  let at = value;
  for (let steps = 0; steps <= longestChain; steps += 1) {
    if (!isObject(at) || typeof at.$ref !== "string") return at;
    at = pointed(description, at.$ref);
  }
  return undefined;
}

/** What stands at a pointer such as `#/components/schemas/Rental`. */
function pointed(description: Description, pointer: string): unknown {
  if (!pointer.startsWith("#/")) return undefined;
  return pointer
    .slice(2)
    .split("/")
    .map((step) => unescaped(step))
    .reduce<unknown>((inside, step) => {
      if (Array.isArray(inside)) return inside[Number(step)];
      return isObject(inside) && Object.hasOwn(inside, step) ? inside[step] : undefined;
    }, description);
}

function unescaped(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
