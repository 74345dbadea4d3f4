import { type ConfigKey, configKeys } from "../../commands/config/keys.ts";
import { isRecord } from "../../output/paths.ts";

const text = { type: "string" } as const;

/** The shape of a profile: its key, and whatever the table of keys has, dots as objects within. */
const profileShape = configKeys.reduce<Shape>(
  (shape, { name, rule }: ConfigKey) =>
    withShape(shape, name.split("."), rule === "switch" ? { type: "boolean" } : text),
  { type: "object", properties: { apiKey: text } },
);

function withShape(shape: Shape, [step = "", ...rest]: readonly string[], leaf: Shape): Shape {
  const inside = shape.properties?.[step] ?? { type: "object" };
  const property = rest.length === 0 ? leaf : withShape(inside, rest, leaf);
  return { ...shape, properties: { ...shape.properties, [step]: property } };
}

/** What the configuration must look like, as a JSON Schema: the same for reading and for writing. */
export const configShape = {
  profile: text,
  profiles: { type: "object", additionalProperties: profileShape },
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
