import type { KeptProfile } from "../../context/context.ts";
import { NotFound } from "../errors.ts";

/** A profile as it is shown: never the key, just where it comes from and how it ends. */
export function shown({ name, inUse, settings, key }: Omit<KeptProfile, "usual">) {
  const sandbox = settings.sandbox === "true";
  return {
    name,
    inUse,
    kind: sandbox ? "sandbox" : "account",
    baseUrl: settings.baseUrl ?? null,
    inferenceBaseUrl: settings.inferenceBaseUrl ?? settings.baseUrl ?? null,
    key: key?.lastFour ? `…${key.lastFour}` : null,
    keySource: key?.source ?? null,
  };
}

/** The profile of this name. Throws `NotFound` when there is none. */
export function profileNamed(name: string, profiles: readonly KeptProfile[]): KeptProfile {
  const found = profiles.find((one) => one.name === name);
  if (found) return found;
  const names = profiles.map((one) => one.name);
  throw new NotFound(
    `there is no profile "${name}"${names.length > 0 ? `; there are: ${names.join(", ")}` : ""}`,
  );
}
