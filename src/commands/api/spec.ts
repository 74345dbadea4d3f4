import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { call, describe, settings }, { flags }) => ({
    data: settings.dryRun
      ? await call("getOpenApiDocument", {})
      : await describe({ refresh: flags.refresh === true }),
  }),
};
