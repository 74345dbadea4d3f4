import { join } from "node:path";
import { reasonOf, UsageError } from "../core/errors.ts";
import { NotRegularFile } from "../core/files.ts";
import { isRecord, parseJson, valueAt } from "../core/json.ts";
import { quoted } from "../core/text.ts";
import { type ConfigKey, type ConfigKeyName, configKeys } from "./keys.ts";
import type { ConfigFiles } from "./types.ts";

/**
 * A profile in `config.json`: its API key, and its values by configuration key. The value of a key with a dot, such as
 * `chat.model`, is in a nested object.
 */
export interface Profile {
  readonly apiKey?: string;
  readonly [name: string]: unknown;
}

export interface Config {
  /** Version of the file format; 1 if missing. */
  readonly version?: number;
  /** The current profile if no flag or variable sets one. */
  readonly profile?: string;
  readonly profiles?: Readonly<Record<string, Profile>>;
}

/** Version of the file format that gpuctl writes. Increase it for every change that an older gpuctl would misread. */
export const configVersion = 1;

/** The current profile if no flag, variable or configuration sets one. */
export const defaultProfile = "default";

export const configPath = ({ folders }: Pick<ConfigFiles, "folders">): string =>
  join(folders.config, "config.json");

/** The profile of this name, if there is one. */
export const profileOf = ({ profiles = {} }: Config, name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined;

/** Returns a value of a profile as text. Undefined if the value is missing or empty. */
export function profileValue(profile: Profile | undefined, key: ConfigKeyName): string | undefined {
  const value = valueAt(profile, key);
  return value === undefined || value === "" ? undefined : String(value);
}

/** Every setting in a profile, without its API key. */
export function profileValues(profile: Profile | undefined): Readonly<Record<string, string>> {
  const values = configKeys.flatMap(({ name }) => {
    const value = profileValue(profile, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
}

/**
 * Reads the configuration without loading a library. Throws `UsageError` if the file cannot be read, is invalid, was
 * written by a newer gpuctl, or may have been changed by another user. Never changes the file.
 */
export function readConfig(files: ConfigFiles): Config {
  const path = configPath(files);
  const text = readText(path, files);
  if (text === undefined || text.trim() === "") return {};
  const config = parseJson(text.replace(/^\ufeff/, ""));
  if (isRecord(config) && typeof config.version === "number" && config.version > configVersion) {
    throw new UsageError(
      `${path} was written by a newer version of gpuctl (format ${config.version}; this version reads up to ${configVersion})`,
      { hint: "Update gpuctl, or set GPUCTL_CONFIG_DIR to another folder. The file was not changed." },
    );
  }
  if (isConfig(config)) return config;
  const problem = config === undefined ? "is not valid JSON" : problemOf(schemaMismatch(config));
  throw new UsageError(`${path} ${problem}`, { hint: "Fix the file, or move it away. It was not changed." });
}

function readText(path: string, files: ConfigFiles): string | undefined {
  try {
    if (files.stat(path)) for (const place of [files.folders.config, path]) assertOwn(place, files);
    return files.readText(path);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    if (cause instanceof NotRegularFile) {
      throw new UsageError(cause.message, {
        hint: "gpuctl keeps its configuration at this path. Rename or remove what is there.",
      });
    }
    throw new UsageError(`${path} cannot be read: ${reasonOf(cause)}`, {
      hint: "Check that you own the file and can read it. It was not changed.",
    });
  }
}

const text = { type: "string" } as const;

/** The schema of a profile: its API key and every configuration key. A key with dots becomes nested objects. */
const profileSchema = configKeys.reduce<Schema>(
  (schema, { name, rule }: ConfigKey) =>
    withProperty(schema, name.split("."), rule === "switch" ? { type: "boolean" } : text),
  { type: "object", properties: { apiKey: text } },
);

function withProperty(schema: Schema, [step = "", ...rest]: readonly string[], leaf: Schema): Schema {
  const inner = schema.properties?.[step] ?? { type: "object" };
  const property = rest.length === 0 ? leaf : withProperty(inner, rest, leaf);
  return { ...schema, properties: { ...schema.properties, [step]: property } };
}

/** The properties of the configuration file. */
const configSchema = {
  version: { type: "number" },
  profile: text,
  profiles: { type: "object", additionalProperties: profileSchema },
} as const satisfies Readonly<Record<string, Schema>>;

interface Schema {
  readonly type: "string" | "number" | "boolean" | "object";
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}

const isConfig = (value: unknown): value is Config => schemaMismatch(value) === undefined;

interface Mismatch {
  /** Dotted path of the value; empty for the document itself. */
  readonly path: string;
  readonly expected: Schema["type"];
  readonly value: unknown;
}

/** Describes what is wrong with the file. Does not show the value, because it may be a key. */
function problemOf(mismatch: Mismatch | undefined): string {
  if (mismatch === undefined || mismatch.path === "") return "must be a JSON object";
  const { path, expected, value } = mismatch;
  const kind = value === null ? "null" : withArticle(Array.isArray(value) ? "array" : typeof value);
  return `is not a valid gpuctl configuration: ${path} must be ${withArticle(expected)}, not ${kind}`;
}

const withArticle = (noun: string): string => `${/^[ao]/.test(noun) ? "an" : "a"} ${noun}`;

/** The first value of the wrong type; undefined if there is none. */
function schemaMismatch(
  value: unknown,
  schema: Schema = { type: "object", properties: configSchema },
  path = "",
): Mismatch | undefined {
  const isRight = schema.type === "object" ? isRecord(value) : typeof value === schema.type;
  if (!isRight) return { path, expected: schema.type, value };
  if (!isRecord(value)) return undefined;
  return Object.entries(value)
    .flatMap(([name, inner]): (Mismatch | undefined)[] => {
      const known = schema.properties?.[name] ?? schema.additionalProperties;
      return known ? [schemaMismatch(inner, known, path === "" ? name : `${path}.${name}`)] : [];
    })
    .find((mismatch) => mismatch !== undefined);
}

/** File mode bits that let the group or others write, and those that let them read. */
const othersWrite = 0o022;
const othersRead = 0o044;

/**
 * Throws `UsageError` if a file or folder belongs to another user or can be changed by others, because the
 * configuration decides where a key is sent and which programs run.
 */
export function assertOwn(place: string, { user, stat }: Pick<ConfigFiles, "user" | "stat">): void {
  const facts = user === undefined ? undefined : stat(place);
  if (facts === undefined) return;
  if (facts.owner !== user) {
    throw new UsageError(`${place} belongs to another user (uid ${facts.owner}; you are uid ${user})`, {
      hint: `If you trust its contents, take ownership with \`sudo chown ${user} ${quoted(place)}\`. Otherwise, set GPUCTL_CONFIG_DIR to another folder. Nothing was changed.`,
    });
  }
  if ((facts.mode & othersWrite) !== 0) {
    throw new UsageError(`${place} is writable by other users (mode ${octal(facts.mode)})`, {
      hint: `Check its contents, then run \`chmod go-w ${quoted(place)}\`. Nothing was changed.`,
    });
  }
}

/** Returns a warning if other users can read a key in the configuration. */
export function exposureWarning({ profiles = {} }: Config, files: ConfigFiles): string | undefined {
  if (Object.values(profiles).every(({ apiKey }) => apiKey === undefined)) return undefined;
  const path = configPath(files);
  const facts = files.user === undefined ? undefined : files.stat(path);
  if (facts === undefined || (facts.mode & othersRead) === 0) return undefined;
  return `Warning: ${path} holds a key and can be read by other users (mode ${octal(facts.mode)}). Run \`chmod 600 ${quoted(path)}\` to fix this.`;
}

const octal = (mode: number): string => (mode & 0o777).toString(8);
