import { UsageError } from "../core/errors.ts";
import { sandboxChatModel } from "../core/sandbox.ts";
import { type Environment, isSameUrl } from "../core/urls.ts";
import { defaultTimeout } from "../core/values/defaults.ts";
import { columnFormats, type OutputFormat, outputFormats, type View } from "../core/view.ts";
import { credentialOf, type KeySource, keySource } from "./credentials.ts";
import { type Config, defaultProfile, profileOf, profileValues } from "./file.ts";
import { keyOfFlag } from "./keys.ts";
import type { CliSettings, Credential, GlobalSetting, ProfileValues, SettingName } from "./types.ts";
import {
  isUsable,
  parseBaseUrl,
  parseChoice,
  parseRetries,
  parseTimeout,
  type SourcedText,
} from "./values.ts";

/**
 * The settings of one run. Each setting comes from the first of these that has a value: flag, environment, profile,
 * default.
 */
export interface Settings extends OutputSettings {
  readonly quiet: boolean;
  readonly yes: boolean;
  /** gpuctl may prompt, provided that there is a terminal. */
  readonly promptsAllowed: boolean;
  /** gpuctl runs in CI, so nothing is animated. */
  readonly ci: boolean;
  readonly profile: string;
  /** The error if the chosen profile does not exist. Set only for commands that repair it (see `ProfileUse`). */
  readonly profileProblem: UsageError | undefined;
  /** The profile that a flag or variable sets. */
  readonly namedProfile: string | undefined;
  readonly sandbox: boolean;
  readonly baseUrl: string | undefined;
  /**
   * Base URL of the served sandbox that the sandbox commands control. A flag or variable sets it. Undefined if
   * neither does, or if the sandbox inside gpuctl is in use.
   */
  readonly servedSandbox: string | undefined;
  readonly inferenceBaseUrl: string | undefined;
  /** Where the key comes from. A key that `apiKeyCommand` prints is not known yet. */
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
  /**
   * Every value that the profile sets. For a command that repairs the profile, only the valid values. For a command
   * that creates another profile, none (see `ProfileUse`). In the sandbox, `chat.model` is the sandbox's own model.
   */
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
 * What a command does with the current profile. Most commands `use` it. Commands that `repair` the profile run even if
 * it is missing or has invalid values. Commands that `create` another profile ignore the current one.
 */
export type ProfileUse = "use" | "repair" | "create";

/** Resolves the settings. Throws a `UsageError` that names the invalid flag, variable or profile. */
export function resolveSettings({ cli, flags, env, config, for: use }: Sources): Settings {
  const find = finder(cli, flags, env);
  const named = find("profile", {});
  const profileName = named?.text ?? config.profile ?? defaultProfile;
  const profile = use === "create" ? undefined : profileOf(config, profileName);
  const wanted = named ?? (config.profile && { text: config.profile, source: "the configuration" });
  const profileProblem = wanted && !profile && use !== "create" ? unknownProfile(wanted, config) : undefined;
  if (profileProblem && use === "use") throw profileProblem;
  const all = profileValues(profile);
  const isValid = ([key, text]: [string, string]) => isUsable(key, text);
  const values = use === "repair" ? Object.fromEntries(Object.entries(all).filter(isValid)) : all;
  const timeout = parseTimeout(find("timeout", values));
  const baseUrl = parseBaseUrl(find("base-url", values));
  // The two base URLs of a profile belong to the same service. If a flag or variable sets another base URL, the
  // profile's inference base URL does not apply. An inference base URL from a flag or variable always applies.
  const sameService = isSameUrl(baseUrl, values.baseUrl);
  const inferenceBaseUrl = parseBaseUrl(find("inference-base-url", sameService ? values : {}));
  const sandbox = usesSandbox(cli, env, values.sandbox === "true");
  const key = keySource(env, profile, profileName);
  return {
    ...outputSettings(cli, find("output", values)),
    color: parseChoice(find("color", values), flags.find(({ name }) => name === "color")?.choices ?? []),
    quiet: cli.quiet === true,
    yes: cli.yes === true,
    ci: isOn(env.CI),
    promptsAllowed: promptsAllowed(cli, env),
    profile: profileName,
    profileProblem,
    namedProfile: named?.text,
    sandbox,
    baseUrl,
    servedSandbox: sandbox ? undefined : parseBaseUrl(find("base-url", {})),
    inferenceBaseUrl,
    key,
    credential: credentialOf(key),
    timeout: timeout === undefined ? defaultTimeout : { compute: timeout, inference: timeout },
    retries: parseRetries(find("retries", values)),
    dryRun: cli["dry-run"] === true,
    validate: cli.validate !== false,
    insecureHttp: cli["insecure-http"] === true,
    debug: cli.debug === true,
    profileValues: sandbox ? { ...values, "chat.model": sandboxChatModel } : values,
  };
}

/** Looks up a setting in the flags, the environment, the profile and the defaults, in this order. */
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

/**
 * Whether to use the sandbox. Flags take precedence over the environment, which takes precedence over the profile.
 * If GPUCTL_SANDBOX or the profile turns the sandbox on, `--base-url` or `--inference-base-url` turns it off.
 * GPUCTL_BASE_URL or GPUCTL_INFERENCE_BASE_URL turns it off only if the profile turned it on.
 */
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

/** The value of GPUCTL_SANDBOX; undefined if it is unset or empty. Throws `UsageError` if it is not a boolean. */
function sandboxVariable({ GPUCTL_SANDBOX: text }: Environment): boolean | undefined {
  if (!text) return undefined;
  if (/^(1|true)$/i.test(text)) return true;
  if (/^(0|false)$/i.test(text)) return false;
  throw new UsageError(`GPUCTL_SANDBOX must be 1, true, 0 or false, not ${JSON.stringify(text)}`);
}

/** Whether flags and environment allow prompts, provided that there is a terminal. */
export const promptsAllowed = ({ input }: CliSettings, { GPUCTL_NO_INPUT, CI }: Environment): boolean =>
  input !== false && !isOn(GPUCTL_NO_INPUT) && !isOn(CI);

const isOn = (value = ""): boolean => !/^(0|false)?$/i.test(value);

function unknownProfile({ text, source }: SourcedText, { profiles }: Config): UsageError {
  const names = Object.keys(profiles ?? {});
  return new UsageError(`profile "${text}" does not exist (from ${source})`, {
    hint: names.length > 0 ? `Profiles: ${names.join(", ")}.` : "Create one with `gpuctl setup`.",
  });
}

/** Which parts of the result are printed, and how. */
export interface OutputSettings {
  /** Always `json` with --jq. */
  readonly output: OutputFormat;
  /** The command line has --jq, or sets a format other than table. */
  readonly formatFromCli: boolean;
  /** The command line has --columns or --no-header, or sets the table format. */
  readonly tableFromCli: boolean;
  /** Columns to show, as typed: titles, names or dotted paths. */
  readonly columns: readonly string[] | undefined;
  /** Columns have titles; false with --no-header. */
  readonly header: boolean;
  /** A jq filter. */
  readonly jq: string | undefined;
}

/** Resolves the output settings. Throws `UsageError` for an invalid value, or flags that cannot be used together. */
function outputSettings(cli: CliSettings, given: SourcedText | undefined): OutputSettings {
  const format = parseChoice(given, outputFormats);
  const jq = typeof cli.jq === "string" ? cli.jq : undefined;
  const columns = typeof cli.columns === "string" ? columnList(cli.columns) : undefined;
  const header = cli.header !== false;
  const columnFlag = [columns && "--columns", !header && "--no-header"].find(
    (flag) => typeof flag === "string",
  );
  if (jq !== undefined) {
    if (columnFlag) {
      throw new UsageError(
        `--jq and ${columnFlag} cannot be used together: the output of a filter has no columns`,
      );
    }
    if (cli.output !== undefined && format !== "json" && format !== "jsonl") {
      throw new UsageError(`--jq and --output ${format} cannot be used together: a filter prints JSON`);
    }
  } else if (columnFlag && !columnFormats.includes(format)) {
    throw new UsageError(
      `${columnFlag} requires --output ${columnFormats.join(", ").replace(/, (?=[^,]*$)/, " or ")}, but ${given?.source} is ${format}`,
    );
  }
  const formatFromCli = jq !== undefined || (cli.output !== undefined && format !== "table");
  const tableFromCli = (cli.output !== undefined && format === "table") || columnFlag !== undefined;
  return { output: jq === undefined ? format : "json", formatFromCli, tableFromCli, columns, header, jq };
}

function columnList(text: string): readonly string[] {
  const columns = text.split(",").map((column) => column.trim());
  if (columns.includes("")) {
    throw new UsageError(
      `--columns must be names separated by commas (such as "id,label"), not ${JSON.stringify(text)}`,
    );
  }
  return columns;
}

/**
 * Throws `UsageError` for `--columns` or `--no-header` with a document, and for `--columns` with the table format of a
 * command that prints one value per line.
 */
export function checkColumns({ kind }: View, { output, columns, header }: OutputSettings): void {
  if (kind === "document" && (columns || !header)) {
    throw new UsageError(
      `${columns ? "--columns" : "--no-header"}: this command prints a document, which has no columns`,
    );
  }
  if (kind === "lines" && columns && output === "table") {
    throw new UsageError(
      "--columns requires --output csv or tsv here: with --output table, this command prints one value per line, without columns",
    );
  }
}

/**
 * Whether output has colors. If `--color` is `auto`, environment variables decide. If none is set, output has colors if
 * it goes to a terminal that supports them.
 */
export function usesColor(color: string, isTerminal: boolean, env: Environment): boolean {
  if (color !== "auto") return color === "always";
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return isTerminal && env.TERM !== "dumb";
}
