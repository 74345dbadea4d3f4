import { join } from "node:path";
import { UsageError } from "../commands/errors.ts";
import type { World } from "../context/world.ts";
import { misfit } from "./config-shape.ts";

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

export const configPath = (world: Pick<World, "folders">): string =>
  join(world.folders.config, "config.json");

/** The configuration as it stands; reading it needs no library. A broken file is told of and left as it is. */
export function readConfig(world: Pick<World, "folders" | "readSettings">): Config {
  const path = configPath(world);
  const text = readText(path, world);
  if (text === undefined || text.trim() === "") return {};
  const config = parsed(text);
  if (isConfig(config)) return config;
  const wrong = misfit(config);
  const place = wrong ? `: ${wrong} has the wrong type` : "";
  throw new UsageError(`${path} is not the JSON that gpuctl writes${place}`, {
    hint: "Mend it or move it away; it was left as it is.",
  });
}

function readText(path: string, { readSettings }: Pick<World, "readSettings">): string | undefined {
  try {
    return readSettings(path);
  } catch (cause) {
    throw new UsageError(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`, {
      hint: "It was left as it is.",
    });
  }
}

const isConfig = (value: unknown): value is Config => misfit(value) === undefined;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
