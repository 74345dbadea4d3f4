import { nothingDone } from "../shared/dry-run.ts";
import type { Verb } from "../spec.ts";
import { keyEnding } from "./key-ending.ts";

export const verb: Verb<object> = {
  run: async (_input, { settings, secrets, profiles, say }, { flags }) => {
    const apiKey = await secrets.readKey({ fromStdin: flags["with-token"] === true });
    const { profile, baseUrl, inferenceBaseUrl, dryRun } = settings;
    if (dryRun) say(nothingDone);
    else {
      await profiles.save(profile, {
        apiKey,
        ...(baseUrl !== undefined && { baseUrl }),
        ...(inferenceBaseUrl !== undefined && { inferenceBaseUrl }),
      });
    }
    if (baseUrl === undefined) say("No base URL yet: give --base-url, or set GPUCTL_BASE_URL.");
    else if (inferenceBaseUrl === undefined) {
      say("Inference goes to the base URL too; --inference-base-url keeps another host for it.");
    }
    return {
      data: {
        profile,
        key: `…${keyEnding(apiKey)}`,
        baseUrl: baseUrl ?? null,
        inferenceBaseUrl: inferenceBaseUrl ?? baseUrl ?? null,
        savedIn: dryRun ? null : profiles.path,
      },
    };
  },
};
