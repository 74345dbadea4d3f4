/** The service's own OpenAPI document, as it came. Only this much of its shape is known to be so. */
export interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

/** A description from its text, or nothing when it is none. */
export function readDescription(text: string): Description | undefined {
  try {
    const document: unknown = JSON.parse(text);
    return isDescription(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

const isDescription = (value: unknown): value is Description =>
  isObject(value) &&
  typeof value.openapi === "string" &&
  /^3\.\d/.test(value.openapi) &&
  isObject(value.paths);

/** True of what has named members. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
