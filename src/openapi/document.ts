import { isRecord, parseJson } from "../core/json.ts";

/** The service's OpenAPI document. Only these members are validated. */
export interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

/** Parses a description; undefined if the text is not an OpenAPI 3 document. */
export function readDescription(text: string): Description | undefined {
  const document = parseJson(text);
  return isDescription(document) ? document : undefined;
}

export const isDescription = (value: unknown): value is Description =>
  isRecord(value) &&
  typeof value.openapi === "string" &&
  /^3\.\d/.test(value.openapi) &&
  isRecord(value.paths);

/** The maximum length of a chain of references. */
const maxChain = 32;

/**
 * The target of a `$ref` within the document; any other value unchanged. Undefined if the reference is broken, external
 * or circular.
 */
export function resolved(description: Description, value: unknown): unknown {
  let at = value;
  for (let steps = 0; steps <= maxChain; steps += 1) {
    if (!isRecord(at) || typeof at.$ref !== "string") return at;
    at = atPointer(description, at.$ref);
  }
  return undefined;
}

/** The value at a JSON pointer such as `#/components/schemas/Rental`. */
function atPointer(description: Description, pointer: string): unknown {
  if (!pointer.startsWith("#/")) return undefined;
  return pointer
    .slice(2)
    .split("/")
    .map((step) => unescaped(step))
    .reduce<unknown>((inside, step) => {
      if (Array.isArray(inside)) return inside[Number(step)];
      return isRecord(inside) && Object.hasOwn(inside, step) ? inside[step] : undefined;
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
