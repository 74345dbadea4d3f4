import { join } from "node:path";
import { UsageError } from "../context/errors.ts";
import type { World } from "../context/world.ts";

/** A profile as kept in `config.json`. */
export interface Profile {
  readonly baseUrl?: string;
  readonly inferenceBaseUrl?: string;
  readonly apiKey?: string;
  readonly sandbox?: boolean;
  readonly output?: string;
  readonly image?: { readonly model?: string };
  readonly chat?: { readonly model?: string };
  readonly budget?: { readonly maxCost?: string; readonly maxBurn?: string };
}

export interface Config {
  /** The profile in use when nothing else names one. */
  readonly profile?: string;
  readonly profiles?: Readonly<Record<string, Profile>>;
}

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

/** The dotted path of the first value that has not its shape; empty for the value itself, nothing when all is well. */
function misfit(value: unknown, shape: Shape, path = ""): string | undefined {
  if (shape.type !== "object") return typeof value === shape.type ? undefined : path;
  if (!isRecord(value)) return path;
  return Object.entries(value)
    .flatMap(([name, inner]): (string | undefined)[] => {
      const known = shape.properties?.[name] ?? shape.additionalProperties;
      return known ? [misfit(inner, known, path === "" ? name : `${path}.${name}`)] : [];
    })
    .find((found) => found !== undefined);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const configPath = (world: Pick<World, "folders">): string =>
  join(world.folders.config, "config.json");

/** The configuration as it stands; reading it needs no library. A broken file is told of and left as it is. */
export function readConfig(world: Pick<World, "folders" | "readSettings">): Config {
  const path = configPath(world);
  const text = world.readSettings(path);
  if (text === undefined || text.trim() === "") return {};
  const config = parsed(text);
  const wrong = misfit(config, { type: "object", properties: configShape });
  if (wrong === undefined) return config as Config;
  const place = wrong === "" ? "" : `: ${wrong} has the wrong type`;
  throw new UsageError(`${path} is not the JSON that gpuctl writes${place}`, {
    hint: "Mend it or move it away; it was left as it is.",
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
