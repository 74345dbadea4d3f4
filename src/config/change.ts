import { existsSync, promises as fs } from "node:fs";
import { basename, dirname, join } from "node:path";
import { NotFound, reasonOf, UsageError } from "../core/errors.ts";
import { makeFolderSync } from "../core/files.ts";
import { asRecord } from "../core/json.ts";
import { locked } from "../core/tasks/lock.ts";
import { uniqueHex } from "../core/text.ts";
import { isSameUrl, originOf } from "../core/urls.ts";
import {
  assertOwn,
  type Config,
  configPath,
  configVersion,
  defaultProfile,
  type Profile,
  profileOf,
  profileValue,
  readConfig,
} from "./file.ts";
import { configKey } from "./keys.ts";
import type { ConfigFiles, ProfileChange, ProfileValues } from "./types.ts";
import { checkValue, nameProblem } from "./values.ts";

/** Changes a profile, or creates it if it does not exist. The first profile becomes the current one. */
export const saveProfile = (files: ConfigFiles, name: string, change: ProfileChange): Promise<void> =>
  changeConfig(files, (config) =>
    withProfile(config, name, changed(name, profileOf(config, name) ?? {}, change)),
  );

/** Creates a profile. Throws `UsageError` if the profile exists. */
export const addProfile = (files: ConfigFiles, name: string, change: ProfileChange): Promise<void> =>
  changeConfig(files, (config) => {
    if (profileOf(config, name)) {
      throw new UsageError(`profile "${name}" already exists`, {
        hint: `Change its settings with \`gpuctl config set KEY VALUE --profile ${name}\`, and its API key with \`gpuctl auth login --profile ${name}\`.`,
      });
    }
    return withProfile(config, name, changed(name, {}, change));
  });

/** Makes a profile the current one. Throws `NotFound` if the profile does not exist. */
export const useProfile = (files: ConfigFiles, name: string): Promise<void> =>
  changeConfig(files, (config) => {
    assertExists(config, name);
    return config.profile === name ? config : { ...config, profile: name };
  });

/** Removes a profile. Throws `NotFound` if the profile does not exist. */
export const removeProfile = (files: ConfigFiles, name: string): Promise<void> =>
  changeConfig(files, (config) => {
    assertExists(config, name);
    const remaining = Object.entries(config.profiles ?? {}).filter(([one]) => one !== name);
    const { profile: used = defaultProfile, profiles: _, ...rest } = config;
    const names = remaining.map(([one]) => one);
    // If the current profile was removed, only the profile named `default` becomes the current one automatically.
    // Another profile may spend someone else's money.
    const next = [used, defaultProfile].find((one) => names.includes(one));
    return { ...rest, ...(next !== undefined && { profile: next }), profiles: Object.fromEntries(remaining) };
  });

/** Removes the stored key or the `apiKeyCommand` of a profile. Returns false if the profile had neither. */
export async function removeKey(files: ConfigFiles, name: string): Promise<boolean> {
  let removed = false;
  await changeConfig(files, (config) => {
    const profile = profileOf(config, name);
    removed = hasKey(profile);
    return profile && removed ? withProfile(config, name, withoutKey(profile)) : config;
  });
  return removed;
}

function withProfile(config: Config, name: string, profile: Profile): Config {
  const hint = profileOf(config, name) === undefined ? nameProblem(name) : undefined;
  if (hint) throw new UsageError(`${JSON.stringify(name)} is not a valid profile name`, { hint });
  const profiles = Object.fromEntries([...Object.entries(config.profiles ?? {}), [name, profile]]);
  // If there is no current profile, this profile becomes the current one only if it is the first one or is named
  // `default`: see `removeProfile`.
  const isFirst = Object.keys(config.profiles ?? {}).length === 0 || name === defaultProfile;
  const current = config.profile ?? (isFirst ? name : undefined);
  return { ...config, ...(current !== undefined && { profile: current }), profiles };
}

function assertExists(config: Config, name: string): void {
  if (profileOf(config, name)) return;
  const names = Object.keys(config.profiles ?? {});
  throw new NotFound(
    `profile "${name}" does not exist`,
    names.length > 0 ? { hint: `Profiles: ${names.join(", ")}.` } : {},
  );
}

/**
 * Applies a change to a profile. A new key or `apiKeyCommand` replaces the old one. Another base URL means another
 * service, so the old inference base URL is removed unless the change sets one. Throws `UsageError` if a value is
 * invalid, or if the old key would be used with a new host.
 */
function changed(name: string, profile: Profile, { apiKey, settings = {} }: ProfileChange): Profile {
  const values = Object.entries(settings);
  for (const [key, text] of values) if (text !== undefined) checkValue(key, text);
  const newKey = apiKey !== undefined || settings.apiKeyCommand !== undefined;
  if (!newKey) assertSameOrigin(name, profile, settings);
  const cleared = newKey ? withoutKey(profile) : profile;
  const baseUrl = profileValue(profile, "baseUrl");
  const changesService =
    "baseUrl" in settings && baseUrl !== undefined && !isSameUrl(settings.baseUrl, baseUrl);
  const own = values.reduce<Profile>(
    (before, [key, text]) => withValue(before, key, text),
    changesService ? withValue(cleared, "inferenceBaseUrl", undefined) : cleared,
  );
  return apiKey === undefined ? own : { ...own, apiKey };
}

function withoutKey(profile: Profile): Profile {
  const { apiKey: _, ...rest } = profile;
  return withValue(rest, "apiKeyCommand", undefined);
}

const hasKey = (profile: Profile | undefined): boolean =>
  profile?.apiKey !== undefined || profileValue(profile, "apiKeyCommand") !== undefined;

/** Throws `UsageError` if a profile with a key loses its base URL, or gets one with another scheme, host or port. */
function assertSameOrigin(name: string, profile: Profile, settings: ProfileValues): void {
  const before = originOf(profileValue(profile, "baseUrl"));
  if (!("baseUrl" in settings) || before === undefined || !hasKey(profile)) return;
  if (originOf(settings.baseUrl) === before) return;
  throw new UsageError(
    `the key in profile "${name}" is for ${before} and will not be used for another scheme, host or port`,
    {
      hint: `To change the base URL and the key together, run \`gpuctl auth login --profile ${name} --base-url URL\`; to remove the key, run \`gpuctl auth logout --profile ${name}\`.`,
    },
  );
}

function withValue(profile: Profile, key: string, text: string | undefined): Profile {
  const value = text !== undefined && configKey(key)?.rule === "switch" ? text === "true" : text;
  return withPath(profile, key.split("."), value);
}

/** Sets the value at a path. Undefined removes the value, and all objects that become empty as a result. */
function withPath(record: Profile, [step = "", ...rest]: readonly string[], value: unknown): Profile {
  const { [step]: before, ...others } = record;
  const after = rest.length === 0 ? value : withPath(asRecord(before), rest, value);
  const isEmpty = after === undefined || (rest.length > 0 && Object.keys(Object(after)).length === 0);
  return isEmpty ? others : { ...record, [step]: after };
}

/**
 * Changes the configuration under a lock. If `change` returns its argument, nothing is written. The file has mode 0600
 * and its folder 0700. The file is replaced atomically. If its path is a symbolic link, the link is kept and its target
 * is replaced. Throws `UsageError` if the file cannot be read or written.
 */
async function changeConfig(files: ConfigFiles, change: (config: Config) => Config): Promise<void> {
  const { config: folder } = files.folders;
  const path = configPath(files);
  try {
    assertOwn(folder, files);
    makeFolderSync(folder);
    await fs.chmod(folder, 0o700);
    const work = async () => {
      const before = readConfig(files);
      const after = change(before);
      if (after === before) return;
      await assertLinkHasTarget(path);
      await write(after, path);
    };
    await locked(path, work, {
      processes: files.processes,
      ...lockTimes,
      busy: (lockPath) => isBusy(path, lockPath),
    });
  } catch (cause) {
    if (cause instanceof UsageError || cause instanceof NotFound) throw cause;
    throw new UsageError(`${path} cannot be written: ${reasonOf(cause)}`, {
      hint: "To use another folder for the configuration, set GPUCTL_CONFIG_DIR.",
    });
  }
}

/**
 * Throws `UsageError` if the path is a symbolic link to a missing file. The file may be on a volume that is not
 * mounted.
 */
async function assertLinkHasTarget(path: string): Promise<void> {
  const target = await fs.readlink(path).catch(() => undefined);
  if (target === undefined || existsSync(path)) return;
  throw new UsageError(`${path} is a symbolic link to ${target}, which does not exist`, {
    hint: "Create an empty file where the link points, or remove the link. Nothing was changed.",
  });
}

/** In milliseconds. A change takes only a few milliseconds, so both limits are generous. */
const lockTimes = { stale: 5_000, timeout: 10_000 };

const isBusy = (path: string, lockPath: string): UsageError =>
  new UsageError(`another process is changing ${path} and has not finished`, {
    hint: `Nothing was changed. If no gpuctl is running, delete ${lockPath}.`,
  });

/**
 * Replaces the configuration. `conf` writes a temporary file, and this function renames the file only if it is
 * complete: `conf` does not notice if an almost full disk accepts only part of a file, and does not replace files
 * atomically when it runs in a Snap package. Passes no schema to `conf`: compiling one is slow, and TypeScript has
 * already checked the value.
 */
async function write(config: Config, path: string): Promise<void> {
  const { default: Store } = await import("conf");
  const target = await fs.realpath(path).catch(() => path);
  const folder = dirname(target);
  const configName = `${basename(target)}${temporaryMark}${uniqueHex(12)}`;
  const temporary = join(folder, configName);
  const text = JSON.stringify({ ...config, version: configVersion }, undefined, "\t");
  try {
    const store = new Store<Record<string, unknown>>({
      cwd: folder,
      configName,
      fileExtension: "",
      projectName: "gpuctl",
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: () => text,
    });
    store.store = { ...config };
    await finish(temporary, text);
    await copyOwner(target, temporary);
    await fs.rename(temporary, target);
  } finally {
    await removeTemporary(folder, basename(target));
  }
}

/** Part of the name of a temporary file. `conf` and gpuctl both use it. */
const temporaryMark = ".tmp-";

/** Flushes a file to the disk. Throws if it does not have the text. */
async function finish(path: string, text: string): Promise<void> {
  const file = await fs.open(path, "r+");
  try {
    if ((await file.readFile("utf8")) !== text) throw new Error("the disk accepted only part of the file");
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives a new file the owner of the old one. Otherwise, a change by root would take the file away from its user. */
async function copyOwner(from: string, to: string): Promise<void> {
  const [before, after] = await Promise.all([fs.stat(from).catch(() => undefined), fs.stat(to)]);
  if (before && (before.uid !== after.uid || before.gid !== after.gid)) {
    await fs.chown(to, before.uid, before.gid).catch(() => undefined);
  }
}

/** Removes temporary files, including those of killed processes. Safe only while the lock is held. */
async function removeTemporary(folder: string, name: string): Promise<void> {
  const names = (await fs.readdir(folder)).filter((one) => one.startsWith(`${name}${temporaryMark}`));
  for (const one of names) await fs.rm(join(folder, one), { force: true });
}
