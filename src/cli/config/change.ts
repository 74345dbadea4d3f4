import { type ConfigKeyName, configKey, configKeys } from "../../commands/config/keys.ts";
import { UsageError } from "../../commands/errors.ts";
import { originOf } from "../../commands/shared/urls.ts";
import type { ProfileChange } from "../../context/context.ts";
import { isRecord } from "../../output/paths.ts";
import { keptValue, type Profile } from "./profile.ts";
import { checkValue } from "./rules.ts";

/**
 * A profile after a change. One key takes the place of the other, whether stored or printed by a program. Another base
 * URL is another service: the inference host of the old one goes, unless a new one comes along, and a key cannot stay.
 * Throws `UsageError` for a value that cannot be kept.
 */
export function changed(name: string, profile: Profile, { apiKey, settings = {} }: ProfileChange): Profile {
  const values = configKeys.flatMap(({ name: key }) =>
    key in settings ? [[key, settings[key]] as const] : [],
  );
  for (const [key, text] of values) if (text !== undefined) checkValue(key, text);
  const newKey = apiKey !== undefined || settings.apiKeyCommand !== undefined;
  if (!newKey) keepsItsHost(name, profile, settings);
  const cleared = newKey ? withoutKey(profile) : profile;
  const own = values.reduce<Profile>(
    (made, [key, text]) => withValue(made, key, text),
    ofService(cleared, settings),
  );
  return typeof apiKey === "string" ? { ...own, apiKey } : own;
}

/** A profile without a key of any kind. */
export function withoutKey(profile: Profile): Profile {
  const { apiKey: _, ...rest } = profile;
  return withValue(rest, "apiKeyCommand", undefined);
}

export const hasKey = (profile: Profile | undefined): boolean =>
  profile?.apiKey !== undefined || keptValue(profile, "apiKeyCommand") !== undefined;

type Settings = NonNullable<ProfileChange["settings"]>;

function keepsItsHost(name: string, profile: Profile, settings: Settings): void {
  const before = originOf(keptValue(profile, "baseUrl"));
  if (!("baseUrl" in settings) || before === undefined || !hasKey(profile)) return;
  if (originOf(settings.baseUrl) === before) return;
  throw new UsageError(`the key of profile "${name}" belongs to ${before}`, {
    hint: `\`gpuctl auth login --profile ${name} --base-url URL\` changes both, and \`gpuctl auth logout --profile ${name}\` forgets the key.`,
  });
}

/** What of a profile stays when the base URL changes. */
function ofService(profile: Profile, settings: Settings): Profile {
  const { baseUrl } = settings;
  if (!("baseUrl" in settings) || baseUrl === keptValue(profile, "baseUrl")) return profile;
  return withValue(profile, "inferenceBaseUrl", undefined);
}

function withValue(profile: Profile, key: ConfigKeyName, text: string | undefined): Profile {
  const value = text !== undefined && configKey(key)?.rule === "switch" ? text === "true" : text;
  return put(profile, key.split("."), value);
}

type Kept = Readonly<Record<string, unknown>>;

/** Puts a value at a path, or takes away what is there and the objects that are empty then. */
function put(record: Kept, [step = "", ...rest]: readonly string[], value: unknown): Kept {
  const { [step]: before, ...others } = record;
  const after = rest.length === 0 ? value : put(isRecord(before) ? before : {}, rest, value);
  const gone = after === undefined || (rest.length > 0 && isRecord(after) && Object.keys(after).length === 0);
  return gone ? others : { ...record, [step]: after };
}
