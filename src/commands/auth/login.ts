import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { settings, secrets, profiles, say }, { flags }) => {
    const apiKey = await secrets.readKey({ fromStdin: flags["with-token"] === true });
    const { profile, baseUrl, inferenceBaseUrl } = settings;
    await profiles.save(profile, {
      apiKey,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(inferenceBaseUrl !== undefined && { inferenceBaseUrl }),
    });
    if (baseUrl === undefined) say("No base URL yet: give --base-url, or set GPUCTL_BASE_URL.");
    return {
      data: { profile, key: `…${apiKey.slice(-4)}`, baseUrl: baseUrl ?? null, savedIn: profiles.path },
    };
  },
};
