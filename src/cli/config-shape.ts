import { isRecord } from "../output/paths.ts";

const text = { type: "string" } as const;
const texts = (...names: readonly string[]): Shape => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, text])),
});

/** What the configuration must look like, as a JSON Schema: the same for reading and for writing. */
export const configShape = {
  profile: text,
  profiles: {
    type: "object",
    additionalProperties: {
      type: "object",
      properties: {
        ...texts("baseUrl", "inferenceBaseUrl", "apiKey", "output").properties,
        sandbox: { type: "boolean" },
        image: texts("model"),
        chat: texts("model"),
        budget: texts("maxCost", "maxBurn"),
      },
    },
  },
} as const satisfies Readonly<Record<string, Shape>>;

interface Shape {
  readonly type: "string" | "boolean" | "object";
  readonly properties?: Readonly<Record<string, Shape>>;
  /** The shape of what stands under any other name. */
  readonly additionalProperties?: Shape;
}

/** The dotted path of the first value that has not its shape; empty for the whole, nothing when all is well. */
export function misfit(
  value: unknown,
  shape: Shape = { type: "object", properties: configShape },
  path = "",
): string | undefined {
  if (shape.type !== "object") return typeof value === shape.type ? undefined : path;
  if (!isRecord(value)) return path;
  return Object.entries(value)
    .flatMap(([name, inner]): (string | undefined)[] => {
      const known = shape.properties?.[name] ?? shape.additionalProperties;
      return known ? [misfit(inner, known, path === "" ? name : `${path}.${name}`)] : [];
    })
    .find((found) => found !== undefined);
}
