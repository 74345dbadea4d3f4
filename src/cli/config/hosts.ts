import { originOf } from "../../commands/shared/urls.ts";
import { keptValue, type Profile } from "./profile.ts";

/** The origins that a profile's key may be sent to; empty for a profile that names no host of its own. */
export const hostsOf = (profile: Profile | undefined): readonly string[] =>
  [keptValue(profile, "baseUrl"), keptValue(profile, "inferenceBaseUrl")].flatMap(
    (url) => originOf(url) ?? [],
  );
