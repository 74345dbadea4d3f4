import { NotFound } from "../core/errors.ts";
import type { RecordView } from "../core/view.ts";
import type { ProfileSummary } from "./context.ts";

/** A profile as commands show it: how its key ends and where it comes from, never the key. */
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

/** The same with the other settings of the profile. */
export function profileDetails(profile: ProfileSummary) {
  const { baseUrl, inferenceBaseUrl, sandbox, ...settings } = profile.settings;
  return { ...shownProfile(profile), settings };
}

export const profileView: RecordView = { kind: "record", id: ["name"] };

/** Throws `NotFound` when there is no profile of this name. */
export function profileNamed(name: string, profiles: readonly ProfileSummary[]): ProfileSummary {
  const found = profiles.find((one) => one.name === name);
  if (found) return found;
  const names = profiles.map((one) => one.name);
  throw new NotFound(
    `there is no profile "${name}"${names.length > 0 ? `; there are: ${names.join(", ")}` : ""}`,
  );
}
