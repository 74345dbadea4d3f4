import { NoCredential } from "../../client/errors.ts";
import type { Context, Credential } from "../../context/context.ts";
import type { Verb } from "../spec.ts";

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

async function credentialInUse({ settings, sandbox }: Context): Promise<Credential> {
  if (settings.sandbox) {
    return { source: "the sandbox's own key", lastFour: (await sandbox()).keys.full.slice(-4) };
  }
  if (settings.credential === undefined) throw new NoCredential();
  return settings.credential;
}
