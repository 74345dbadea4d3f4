import { keyEnding } from "../commands/auth/key-ending.ts";
import { UsageError } from "../commands/errors.ts";
import type { Credential, Defaults } from "../context/context.ts";
import type { Environment } from "../context/world.ts";
import { type GlobalName, globalFlags, type TypedGlobals } from "./globals.ts";
import { type OutputSettings, outputSettings } from "./output-settings.ts";
import type { Config, Profile } from "./profile.ts";
import { choice, duration, type Found, retries, url } from "./setting-values.ts";

/** What flags, environment, profile and defaults came to, first wins in that order. */
export interface Settings extends OutputSettings {
  readonly quiet: boolean;
  readonly yes: boolean;
  readonly mayAsk: boolean;
  /** Nobody watches: nothing is animated. */
  readonly ci: boolean;
  readonly profile: string;
  readonly sandbox: boolean;
  readonly baseUrl: string | undefined;
  readonly inferenceBaseUrl: string | undefined;
  readonly apiKey: string | undefined;
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
}

/** Milliseconds for one try when nobody says otherwise. */
const usualTimeout = { compute: 30_000, inference: 300_000 };

export interface Sources {
  readonly typed: TypedGlobals;
  readonly env: Environment;
  readonly config: Config;
  /** The command may name a profile that is not there yet. */
  readonly newProfile: boolean;
}

/** Throws `UsageError` that names the flag, the variable or the profile of a bad value. */
export function resolveSettings({ typed, env, config, newProfile }: Sources): Settings {
  const named = find("profile", typed, env, {});
  const profileName = named?.text ?? config.profile ?? "default";
  const profile = config.profiles?.[profileName];
  if (named && !profile && !newProfile) throw unknownProfile(named, config);
  const get = (name: GlobalName) => find(name, typed, env, profile ?? {});
  const timeout = duration(get("timeout"));
  const sandbox = usesSandbox(typed, env, profile);
  const baseUrl = url(get("base-url"));
  // The profile's two hosts are one service: when another place names another base URL, both are replaced. An inference
  // host that a flag or the environment names counts whatever the base URL is: it was named for its own sake.
  const sameService = baseUrl === profile?.baseUrl;
  const inferenceBaseUrl = url(find("inference-base-url", typed, env, (sameService && profile) || {}));
  const apiKey = env.GPUCTL_API_KEY || profile?.apiKey;
  return {
    ...outputSettings(typed, get("output")),
    color: choice(get("color"), colorFlag?.choices ?? []),
    quiet: typed.quiet === true,
    yes: typed.yes === true,
    ci: isOn(env.CI),
    mayAsk: typed.input !== false && !isOn(env.GPUCTL_NO_INPUT) && !isOn(env.CI),
    profile: profileName,
    sandbox,
    baseUrl,
    inferenceBaseUrl,
    apiKey,
    credential: credential(env, apiKey, profileName),
    timeout: timeout === undefined ? usualTimeout : { compute: timeout, inference: timeout },
    retries: retries(get("retries")),
    dryRun: typed["dry-run"] === true,
    validate: typed.validate !== false,
    insecureHttp: typed["insecure-http"] === true,
    debug: typed.debug === true,
    defaults: {
      imageModel: profile?.image?.model,
      chatModel: profile?.chat?.model,
      maxCost: profile?.budget?.maxCost,
      maxBurn: profile?.budget?.maxBurn,
    },
  };
}

const colorFlag = globalFlags.find((flag) => flag.name === "color");

function find(name: GlobalName, typed: TypedGlobals, env: Environment, profile: Profile): Found | undefined {
  const flag = globalFlags.find((known) => known.name === name);
  const value = typed[name];
  if (typeof value === "string") return { text: value, source: `--${name}` };
  const variable = flag && "env" in flag ? flag.env : undefined;
  const fromEnvironment = variable && env[variable];
  if (variable && fromEnvironment) return { text: fromEnvironment, source: variable };
  const kept = {
    output: profile.output,
    "base-url": profile.baseUrl,
    "inference-base-url": profile.inferenceBaseUrl,
  };
  const fromProfile = Object.entries(kept).find(([key]) => key === name)?.[1];
  if (fromProfile !== undefined) return { text: fromProfile, source: "the profile" };
  return flag && "default" in flag ? { text: flag.default, source: "the default" } : undefined;
}

/** A flag beats the environment, which beats the profile; naming a host is as good as saying no to the sandbox. */
function usesSandbox(typed: TypedGlobals, env: Environment, profile: Profile | undefined): boolean {
  const host = hosts.find((name) => typed[name] !== undefined);
  if (typed.sandbox === true && host) throw new UsageError(`--sandbox and --${host} exclude each other`);
  if (typed.sandbox === true) return true;
  if (host) return false;
  if (isOn(env.GPUCTL_SANDBOX)) return true;
  return !env.GPUCTL_BASE_URL && !env.GPUCTL_INFERENCE_BASE_URL && profile?.sandbox === true;
}

const hosts = ["base-url", "inference-base-url"] as const;

const isOn = (value: string | undefined): boolean =>
  value !== undefined && value !== "" && value !== "0" && value.toLowerCase() !== "false";

function credential(env: Environment, apiKey: string | undefined, profile: string): Credential | undefined {
  if (!apiKey) return undefined;
  const source = env.GPUCTL_API_KEY ? "GPUCTL_API_KEY" : `profile "${profile}"`;
  return { source, lastFour: keyEnding(apiKey) };
}

function unknownProfile({ text, source }: Found, { profiles }: Config): UsageError {
  const names = Object.keys(profiles ?? {});
  return new UsageError(`${source}: there is no profile "${text}"`, {
    hint: names.length > 0 ? `There are: ${names.join(", ")}` : "`gpuctl auth login` makes one.",
  });
}
