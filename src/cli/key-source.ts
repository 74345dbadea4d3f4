import { keyEnding } from "../commands/auth/key-ending.ts";
import type { Credential } from "../context/context.ts";
import type { Environment } from "../context/world.ts";
import { hostsOf } from "./config/hosts.ts";
import { keptValue, type Profile } from "./config/profile.ts";

/** Where the key comes from. */
export interface KeySource {
  /** Such as `GPUCTL_API_KEY` or `profile "work"`. */
  readonly source: string;
  /** The key, or the command line of the program that prints it. */
  readonly from: { readonly key: string } | { readonly command: string };
  /** The only origins that it may be sent to; nothing where the user gives key and host alike. */
  readonly hosts: readonly string[] | undefined;
}

/** The environment's key, else the profile's, which belongs to the profile's hosts. */
export function keySource(
  env: Environment,
  profile: Profile | undefined,
  name: string,
): KeySource | undefined {
  if (env.GPUCTL_API_KEY) {
    return { source: "GPUCTL_API_KEY", from: { key: env.GPUCTL_API_KEY }, hosts: undefined };
  }
  const source = `profile "${name}"`;
  const own = hostsOf(profile);
  const hosts = own.length > 0 ? own : undefined;
  if (profile?.apiKey) return { source, from: { key: profile.apiKey }, hosts };
  const command = keptValue(profile, "apiKeyCommand");
  if (command === undefined) return undefined;
  return { source: `${source}, printed by its apiKeyCommand`, from: { command }, hosts };
}

/** What may be told of the key. */
export const credentialOf = (key: KeySource | undefined): Credential | undefined =>
  key && { source: key.source, lastFour: "key" in key.from ? keyEnding(key.from.key) : "" };
