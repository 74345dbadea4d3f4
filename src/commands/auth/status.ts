import { ServiceError } from "../../client/errors.ts";
import type { Verb } from "../spec.ts";
import { keyEnding } from "./key-ending.ts";

export const verb: Verb<object> = {
  run: async (_input, { call, ifItFails, secrets, settings }) => {
    const { profile, baseUrl, inferenceBaseUrl, sandbox, dryRun } = settings;
    if (dryRun) await call("getActiveRentalSummary", {});
    const { key, source } = await secrets.keyInUse();
    const ending = `…${keyEnding(key)}`;
    await call("getActiveRentalSummary", {}).catch((error) => {
      if (error instanceof ServiceError && (error.status === 401 || error.status === 403)) {
        ifItFails(`The key was ${ending}, from ${source}.`);
      }
      throw error;
    });
    return {
      data: {
        profile,
        sandbox,
        baseUrl: baseUrl ?? null,
        inferenceBaseUrl: inferenceBaseUrl ?? baseUrl ?? null,
        key: ending,
        source,
        accepted: true,
      },
    };
  },
};
