import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";

export default defineCommand({
  path: "api spec",
  summary: "Print the service's own OpenAPI description",
  details:
    "The description lists the operations that the service offers. Fetching it needs no key, and gpuctl caches it for a day.",
  operation: "getOpenApiDocument",
  flags: { refresh: flag.boolean("Ignore the cache and fetch the description again") },
  view: { kind: "document" },
  examples: [
    { text: "Print the description", command: "gpuctl api spec --sandbox" },
    { text: "Save the description to a file", command: "gpuctl api spec --sandbox > openapi.json" },
  ],
  run: async ({ flags: { refresh }, call, describe, settings }) => ({
    data: settings.dryRun ? await call("getOpenApiDocument", {}) : await describe({ refresh }),
  }),
});
