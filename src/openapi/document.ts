import { isRecord, parseJson } from "../core/json.ts";

/** The service's own OpenAPI document, as it came. Nothing but these members is known to be well-formed. */
export interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

/** A description from its text, or undefined for anything but an OpenAPI 3 document. */
export function readDescription(text: string): Description | undefined {
  const document = parseJson(text);
  return isDescription(document) ? document : undefined;
}

const isDescription = (value: unknown): value is Description =>
  isRecord(value) &&
  typeof value.openapi === "string" &&
  /^3\.\d/.test(value.openapi) &&
  isRecord(value.paths);

/** How many references may follow one another. */
const maxChain = 32;

/**
 * The target of a `$ref` within the document; any other value unchanged. Undefined when the reference leads nowhere, out
 * of the document, or in a circle.
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
