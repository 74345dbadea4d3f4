import { usualTimeout } from "../client/defaults.ts";
import { type ConfigKeyName, configKeys, keyOfFlag } from "../commands/config/keys.ts";
import { UsageError } from "../commands/errors.ts";
import type { Credential, Defaults, KeptSettings } from "../context/context.ts";
import type { Environment } from "../context/world.ts";
import { type Config, keptValue, type Profile, profileOf, usualProfile } from "./config/profile.ts";
import { isUsable } from "./config/rules.ts";
import { type GlobalName, globalFlags, type TypedGlobals } from "./globals.ts";
import { credentialOf, type KeySource, keySource } from "./key-source.ts";
import { type OutputSettings, outputSettings } from "./output-settings.ts";
import { choice, duration, type Found, retries, url } from "./setting-values.ts";

/** What flags, environment, profile and defaults came to, first wins in that order. */
export interface Settings extends OutputSettings {
  readonly quiet: boolean;
  readonly yes: boolean;
  readonly mayAsk: boolean;
  /** Nobody watches: nothing is animated. */
  readonly ci: boolean;
  readonly profile: string;
  /** The profile that a flag or the environment names. */
  readonly namedProfile: string | undefined;
  readonly sandbox: boolean;
  readonly baseUrl: string | undefined;
  readonly inferenceBaseUrl: string | undefined;
  /** Where the key comes from; one that a program prints is not known yet. */
  readonly key: KeySource | undefined;
  readonly credential: Credential | undefined;
  /** Milliseconds for one try. */
  readonly timeout: Readonly<Record<"compute" | "inference", number>>;
  readonly retries: number;
  readonly dryRun: boolean;
  readonly validate: boolean;
  readonly insecureHttp: boolean;
  readonly debug: boolean;
  readonly color: string;
  readonly defaults: Defaults;
  /** All that the profile keeps. */
  readonly kept: KeptSettings;
}

export interface Sources {
  readonly typed: TypedGlobals;
  readonly env: Environment;
  readonly config: Config;
  readonly for: ProfileUse;
}

/**
 * What a command does with the profile. Most use it as it is. Some mend it: the profile need not be there, and what it
 * keeps may be unusable. One makes another, and the profile in use has no say in that.
 */
export type ProfileUse = "use" | "mend" | "make";

/** Throws `UsageError` that names the flag, the variable or the profile of a bad value. */
export function resolveSettings({ typed, env, config, for: use }: Sources): Settings {
  const named = find("profile", typed, env, {});
  const profileName = named?.text ?? config.profile ?? usualProfile;
  const profile = use === "make" ? undefined : profileOf(config, profileName);
  const wanted = named ?? (config.profile && { text: config.profile, source: "the configuration" });
  if (wanted && !profile && use === "use") throw unknownProfile(wanted, config);
  const kept = keptBy(profile, use);
  const get = (name: GlobalName) => find(name, typed, env, kept);
  const timeout = duration(get("timeout"));
  const baseUrl = url(get("base-url"));
  // The profile's two hosts are one service: when another place names another base URL, both are replaced. An inference
  // host that a flag or the environment names counts whatever the base URL is: it was named for its own sake.
  const sameService = baseUrl === kept.baseUrl;
  const inferenceBaseUrl = url(find("inference-base-url", typed, env, sameService ? kept : {}));
  const key = keySource(env, profile, profileName);
  return {
    ...outputSettings(typed, get("output")),
    color: choice(get("color"), colorFlag?.choices ?? []),
    quiet: typed.quiet === true,
    yes: typed.yes === true,
    ci: isOn(env.CI),
    mayAsk: typed.input !== false && !isOn(env.GPUCTL_NO_INPUT) && !isOn(env.CI),
    profile: profileName,
    namedProfile: named?.text,
    sandbox: usesSandbox(typed, env, kept.sandbox === "true"),
    baseUrl,
    inferenceBaseUrl,
    key,
    credential: credentialOf(key),
    timeout: timeout === undefined ? usualTimeout : { compute: timeout, inference: timeout },
    retries: retries(get("retries")),
    dryRun: typed["dry-run"] === true,
    validate: typed.validate !== false,
    insecureHttp: typed["insecure-http"] === true,
    debug: typed.debug === true,
    defaults: {
      imageModel: kept["image.model"],
      chatModel: kept["chat.model"],
      maxCost: kept["budget.maxCost"],
      maxBurn: kept["budget.maxBurn"],
    },
    kept,
  };
}

const colorFlag = globalFlags.find((flag) => flag.name === "color");

/** What a profile keeps, by key; for a command that mends it without what cannot be used. */
function keptBy(profile: Profile | undefined, use: ProfileUse): KeptSettings {
  const entries = configKeys.flatMap(({ name }): [ConfigKeyName, string][] => {
    const text = keptValue(profile, name);
    return text === undefined || (use === "mend" && !isUsable(name, text)) ? [] : [[name, text]];
  });
  return Object.fromEntries(entries);
}

function find(
  name: GlobalName,
  typed: TypedGlobals,
  env: Environment,
  kept: KeptSettings,
): Found | undefined {
  const flag = globalFlags.find((known) => known.name === name);
  const value = typed[name];
  if (typeof value === "string") return { text: value, source: `--${name}` };
  const variable = flag && "env" in flag ? flag.env : undefined;
  const fromEnvironment = variable && env[variable];
  if (variable && fromEnvironment) return { text: fromEnvironment, source: variable };
  const key = keyOfFlag("global", name);
  const fromProfile = key && kept[key];
  if (fromProfile !== undefined) return { text: fromProfile, source: `${key} of the profile` };
  return flag && "default" in flag ? { text: flag.default, source: "the default" } : undefined;
}

/** A flag beats the environment, which beats the profile; naming a host is as good as saying no to the sandbox. */
function usesSandbox(typed: TypedGlobals, env: Environment, kept: boolean): boolean {
  const host = hosts.find((name) => typed[name] !== undefined);
  if (typed.sandbox === true && host) throw new UsageError(`--sandbox and --${host} exclude each other`);
  if (typed.sandbox === true) return true;
  if (host) return false;
  const wanted = sandboxVariable(env);
  if (wanted !== undefined) return wanted;
  return !env.GPUCTL_BASE_URL && !env.GPUCTL_INFERENCE_BASE_URL && kept;
}

const hosts = ["base-url", "inference-base-url"] as const;

/** Nothing when the variable is not set, or empty. Throws `UsageError` for a value that says neither yes nor no. */
function sandboxVariable({ GPUCTL_SANDBOX: text }: Environment): boolean | undefined {
  if (!text) return undefined;
  const yes = yesOrNo.get(text.toLowerCase());
  if (yes === undefined) {
    throw new UsageError(`GPUCTL_SANDBOX must be 1 (or true) or 0 (or false), not ${JSON.stringify(text)}`);
  }
  return yes;
}

const yesOrNo: ReadonlyMap<string, boolean> = new Map([
  ["1", true],
  ["true", true],
  ["0", false],
  ["false", false],
]);

const isOn = (value: string | undefined): boolean =>
  value !== undefined && value !== "" && value !== "0" && value.toLowerCase() !== "false";

function unknownProfile({ text, source }: Found, { profiles }: Config): UsageError {
  const names = Object.keys(profiles ?? {});
  return new UsageError(`${source}: there is no profile "${text}"`, {
    hint: names.length > 0 ? `There are: ${names.join(", ")}` : "`gpuctl setup` makes one.",
  });
}
