import type { ProfileSummary } from "../config/types.ts";
import { NotFound } from "../core/errors.ts";
import type { RecordView } from "../core/view.ts";

/** A profile as commands show it: with the last characters and the source of its key, but never the key itself. */
export function shownProfile({ name, inUse, settings, key }: Omit<ProfileSummary, "isDefault">) {
  return {
    name,
    inUse,
    kind: settings.sandbox === "true" ? "sandbox" : "account",
    baseUrl: settings.baseUrl ?? null,
    inferenceBaseUrl: settings.inferenceBaseUrl ?? settings.baseUrl ?? null,
    key: key?.lastFour ? `…${key.lastFour}` : null,
    keySource: key?.source ?? null,
  };
}

/** A profile in detail: the fields of `shownProfile`, and in `settings` all settings that have no field there. */
export function profileDetails(profile: ProfileSummary) {
  const { baseUrl, inferenceBaseUrl, sandbox, ...settings } = profile.settings;
  return { ...shownProfile(profile), settings };
}

export const profileView: RecordView = { kind: "record", id: ["name"] };

/** Finds a profile by its name. Throws `NotFound` when it does not exist. */
export function profileNamed(name: string, profiles: readonly ProfileSummary[]): ProfileSummary {
  const found = profiles.find((profile) => profile.name === name);
  if (found) return found;
  const names = profiles.map((profile) => profile.name);
  throw new NotFound(
    `profile "${name}" does not exist`,
    names.length > 0 ? { hint: `Profiles: ${names.join(", ")}.` } : {},
  );
}
