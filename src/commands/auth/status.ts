import { canWrite } from "../../client/probe/key-check.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { ServiceError } from "../../core/service-errors.ts";
import { keyEnding } from "../../core/text.ts";

export default defineCommand({
  path: "auth status",
  summary: "Show the key in use, where it comes from, and what the service lets it do",
  details:
    "Tests the key with requests that change nothing. canWrite says whether the key may also create, change and end resources. canWrite is null if this is not known: some services do not list API keys with their access.",
  operation: "getActiveRentalSummary",
  uses: ["secrets"],
  view: { kind: "record", id: [] },
  examples: [
    { text: "Check the key", command: "gpuctl auth status --sandbox" },
    { text: "Print as JSON, for a script", command: "gpuctl auth status -o json --sandbox" },
  ],
  run: async ({ input, call, request, say, setFailureContext, secrets, settings }) => {
    const { profile, baseUrl, inferenceBaseUrl, sandbox, dryRun } = settings;
    // A dry run ends with this call, before `keyInUse` can run the command that prints the key.
    if (dryRun) await call("getActiveRentalSummary", input);
    const { key, source } = await secrets.keyInUse();
    const ending = `…${keyEnding(key)}`;
    await call("getActiveRentalSummary", input).catch((error) => {
      if (error instanceof ServiceError && (error.status === 401 || error.status === 403)) {
        setFailureContext(`The key was ${ending}, from ${source}.`);
      }
      throw error;
    });
    const writes = await canWrite(key, { call, request });
    if (writes === undefined) say("The key can read. Whether it can also write is not known.");
    return {
      data: {
        profile,
        sandbox,
        baseUrl: baseUrl ?? null,
        inferenceBaseUrl: inferenceBaseUrl ?? baseUrl ?? null,
        key: ending,
        source,
        accepted: true,
        canWrite: writes ?? null,
      },
    };
  },
});
