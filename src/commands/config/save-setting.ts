import type { Context, Ports } from "../../command-kit/context.ts";

/**
 * Sets a setting of the profile, or removes it if `value` is undefined. Says so if a change of `baseUrl` also removes
 * `inferenceBaseUrl`.
 */
export async function saveSetting(
  key: string,
  value: string | undefined,
  { profiles, say, settings: { profile } }: Pick<Context, "say" | "settings"> & Pick<Ports, "profiles">,
): Promise<void> {
  const inferenceUrl = () => profiles.list().find(({ name }) => name === profile)?.settings.inferenceBaseUrl;
  const before = inferenceUrl();
  await profiles.save(profile, { settings: { [key]: value } });
  if (key === "baseUrl" && before !== undefined && inferenceUrl() === undefined) {
    say(`inferenceBaseUrl ${before} was removed, because it was set for the previous base URL.`);
  }
}
