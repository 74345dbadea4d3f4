import { defaultTimeout } from "../core/defaults.ts";
import { UsageError } from "../core/errors.ts";
import { sandboxChatModel } from "../core/sandbox.ts";
import type { Environment } from "../core/urls.ts";
import { columnFormats, type OutputFormat, outputFormats, type View } from "../core/view.ts";
import { credentialOf, type KeySource, keySource } from "./credentials.ts";
import { type Config, defaultProfile, profileOf, profileValues } from "./file.ts";
import { keyOfFlag } from "./keys.ts";
import type { CliSettings, Credential, GlobalSetting, ProfileValues, SettingName } from "./types.ts";
import { choice, duration, isUsable, retries, type SourcedText, url } from "./values.ts";

/** The result of flags, environment, profile and defaults; the first of them that gives a value wins. */
export interface Settings extends OutputSettings {
  readonly quiet: boolean;
  readonly yes: boolean;
  /** Prompts are allowed, provided there is a terminal. */
  readonly promptsAllowed: boolean;
  /** Runs in CI: nothing is animated. */
  readonly ci: boolean;
  readonly profile: string;
  /** The profile that a flag or the environment names. */
  readonly namedProfile: string | undefined;
  readonly sandbox: boolean;
  readonly baseUrl: string | undefined;
  readonly inferenceBaseUrl: string | undefined;
  /** Where the key comes from; one that a command prints is not known yet. */
  readonly key: KeySource | undefined;
  readonly credential: Credential | undefined;
  /** Milliseconds for one attempt. */
  readonly timeout: Readonly<Record<"compute" | "inference", number>>;
  readonly retries: number;
  readonly dryRun: boolean;
  readonly validate: boolean;
  readonly insecureHttp: boolean;
  readonly debug: boolean;
  readonly color: string;
  /** Every value that the profile sets, with the sandbox's own chat model in the sandbox. */
  readonly profileValues: ProfileValues;
}

export interface Sources {
  readonly cli: CliSettings;
  readonly flags: readonly GlobalSetting[];
  readonly env: Environment;
  readonly config: Config;
  readonly for: ProfileUse;
}

/**
 * What a command does with the profile. Most "use" it. Those that "repair" it run although it is missing or holds
 * invalid values. One will "create" another, so the current profile does not apply.
 */
export type ProfileUse = "use" | "repair" | "create";

/** Throws `UsageError` that names the flag, the variable or the profile of an invalid value. */
export function resolveSettings({ cli, flags, env, config, for: use }: Sources): Settings {
  const find = finder(cli, flags, env);
  const named = find("profile", {});
  const profileName = named?.text ?? config.profile ?? defaultProfile;
  const profile = use === "create" ? undefined : profileOf(config, profileName);
  const wanted = named ?? (config.profile && { text: config.profile, source: "the configuration" });
  if (wanted && !profile && use === "use") throw unknownProfile(wanted, config);
  const all = profileValues(profile);
  const isValid = ([key, text]: [string, string]) => isUsable(key, text);
  const values = use === "repair" ? Object.fromEntries(Object.entries(all).filter(isValid)) : all;
  const timeout = duration(find("timeout", values));
  const baseUrl = url(find("base-url", values));
  // The profile's two hosts are one service: when a flag or variable replaces its base URL, its inference host no longer
  // applies. An inference host that a flag or variable names always applies.
  const sameService = baseUrl === values.baseUrl;
  const inferenceBaseUrl = url(find("inference-base-url", sameService ? values : {}));
  const sandbox = usesSandbox(cli, env, values.sandbox === "true");
  const key = keySource(env, profile, profileName);
  return {
    ...outputSettings(cli, find("output", values)),
    color: choice(find("color", values), flags.find(({ name }) => name === "color")?.choices ?? []),
    quiet: cli.quiet === true,
    yes: cli.yes === true,
    ci: isOn(env.CI),
    promptsAllowed: cli.input !== false && !isOn(env.GPUCTL_NO_INPUT) && !isOn(env.CI),
    profile: profileName,
    namedProfile: named?.text,
    sandbox,
    baseUrl,
    inferenceBaseUrl,
    key,
    credential: credentialOf(key),
    timeout: timeout === undefined ? defaultTimeout : { compute: timeout, inference: timeout },
    retries: retries(find("retries", values)),
    dryRun: cli["dry-run"] === true,
    validate: cli.validate !== false,
    insecureHttp: cli["insecure-http"] === true,
    debug: cli.debug === true,
    profileValues: sandbox ? { ...values, "chat.model": sandboxChatModel } : values,
  };
}

/** Looks a setting up: the flag as typed, its variable, the profile, the default. */
const finder =
  (cli: CliSettings, flags: readonly GlobalSetting[], env: Environment) =>
  (name: SettingName, profileValues: ProfileValues): SourcedText | undefined => {
    const flag = flags.find((one) => one.name === name);
    const value = cli[name];
    if (typeof value === "string") return { text: value, source: `--${name}` };
    const fromEnvironment = flag?.env && env[flag.env];
    if (flag?.env && fromEnvironment) return { text: fromEnvironment, source: flag.env };
    const key = keyOfFlag("global", name);
    const fromProfile = key && profileValues[key];
    if (fromProfile !== undefined) return { text: fromProfile, source: `${key} of the profile` };
    return flag?.default === undefined ? undefined : { text: flag.default, source: "the default" };
  };

/** A flag beats the environment, which beats the profile; naming a host turns the sandbox off. */
function usesSandbox(cli: CliSettings, env: Environment, ofProfile: boolean): boolean {
  const host = hosts.find((name) => cli[name] !== undefined);
  if (cli.sandbox === true && host) throw new UsageError(`--sandbox and --${host} cannot be used together`);
  if (cli.sandbox === true) return true;
  if (host) return false;
  const wanted = sandboxVariable(env);
  if (wanted !== undefined) return wanted;
  return !env.GPUCTL_BASE_URL && !env.GPUCTL_INFERENCE_BASE_URL && ofProfile;
}

const hosts = ["base-url", "inference-base-url"] as const;

/** Undefined when the variable is not set, or empty. Throws `UsageError` for a value that is not a boolean. */
function sandboxVariable({ GPUCTL_SANDBOX: text }: Environment): boolean | undefined {
  if (!text) return undefined;
  if (/^(1|true)$/i.test(text)) return true;
  if (/^(0|false)$/i.test(text)) return false;
  throw new UsageError(`GPUCTL_SANDBOX must be 1 (or true) or 0 (or false), not ${JSON.stringify(text)}`);
}

const isOn = (value = ""): boolean => !/^(0|false)?$/i.test(value);

function unknownProfile({ text, source }: SourcedText, { profiles }: Config): UsageError {
  const names = Object.keys(profiles ?? {});
  return new UsageError(`profile "${text}" does not exist (from ${source})`, {
    hint: names.length > 0 ? `Profiles: ${names.join(", ")}.` : "Create one with `gpuctl setup`.",
  });
}

/** What of the result is printed, and how. */
export interface OutputSettings {
  /** Always `json` with --jq. */
  readonly output: OutputFormat;
  /** The command line sets a format other than table. */
  readonly formatFromCli: boolean;
  /** The command line sets the table format or an option of tables. */
  readonly tableFromCli: boolean;
  /** Columns to show, as typed: titles, names or dotted paths. */
  readonly columns: readonly string[] | undefined;
  /** Columns have titles. */
  readonly header: boolean;
  /** A jq filter. */
  readonly jq: string | undefined;
}

/** Throws `UsageError` for flags that cannot be used together. */
function outputSettings(cli: CliSettings, given: SourcedText | undefined): OutputSettings {
  const format = choice(given, outputFormats);
  const jq = typeof cli.jq === "string" ? cli.jq : undefined;
  const columns = typeof cli.columns === "string" ? columnList(cli.columns) : undefined;
  const header = cli.header !== false;
  const about = [columns && "--columns", !header && "--no-header"].find((flag) => typeof flag === "string");
  if (jq !== undefined) {
    if (about) {
      throw new UsageError(
        `--jq and ${about} cannot be used together: the output of a filter has no columns`,
      );
    }
    if (cli.output !== undefined && format !== "json" && format !== "jsonl") {
      throw new UsageError(`--jq and --output ${format} cannot be used together: a filter prints JSON`);
    }
  } else if (about && !columnFormats.includes(format)) {
    throw new UsageError(
      `${about} requires --output ${columnFormats.join(", ").replace(/, (?=[^,]*$)/, " or ")}, but ${given?.source} is ${format}`,
    );
  }
  const formatFromCli = jq !== undefined || (cli.output !== undefined && format !== "table");
  const tableFromCli = (cli.output !== undefined && format === "table") || about !== undefined;
  return { output: jq === undefined ? format : "json", formatFromCli, tableFromCli, columns, header, jq };
}

function columnList(text: string): readonly string[] {
  const columns = text.split(",").map((column) => column.trim());
  if (columns.includes("")) {
    throw new UsageError(
      `--columns must be names separated by commas, such as id,label, not ${JSON.stringify(text)}`,
    );
  }
  return columns;
}

/** Throws `UsageError` when the view has nothing that `--columns` or `--no-header` could change. */
export function checkColumns({ kind }: View, { output, columns, header }: OutputSettings): void {
  if (kind === "document" && (columns || !header)) {
    throw new UsageError(
      `${columns ? "--columns" : "--no-header"}: this command prints a document, which has no columns`,
    );
  }
  if (kind === "lines" && columns && output === "table") {
    throw new UsageError(
      "--columns needs --output csv or tsv here: --output table prints one line for each result",
    );
  }
}

/** Whether text has colors: as `--color` says, or else as the environment says, or else on terminals that have them. */
export function usesColor(color: string, isTerminal: boolean, env: Environment): boolean {
  if (color !== "auto") return color === "always";
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return isTerminal && env.TERM !== "dumb";
}
