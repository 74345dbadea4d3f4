import { NoCredential } from "../../client/errors.ts";
import type { Context, Credential } from "../../context/context.ts";
import type { Verb } from "../spec.ts";
import { keyEnding } from "./key-ending.ts";

export const verb: Verb<object> = {
  run: async (_input, context) => {
    const { profile, baseUrl, inferenceBaseUrl, sandbox } = context.settings;
    const { lastFour, source } = await credentialInUse(context);
    await context.call("getActiveRentalSummary", {});
    return {
      data: {
        profile,
        sandbox,
        baseUrl: baseUrl ?? null,
        inferenceBaseUrl: inferenceBaseUrl ?? baseUrl ?? null,
        key: `…${lastFour}`,
        source,
        accepted: true,
      },
    };
  },
};

/** In the sandbox a key counts only when it is the sandbox's read-only one; any other gives way to its full one. */
async function credentialInUse({ settings, sandbox }: Context): Promise<Credential> {
  const { credential } = settings;
  if (settings.sandbox) {
    const { keys } = await sandbox();
    if (credential?.lastFour === keyEnding(keys.readOnly)) return credential;
    return { source: "the sandbox's own key", lastFour: keyEnding(keys.full) };
  }
  if (credential === undefined) throw new NoCredential();
  return credential;
}
