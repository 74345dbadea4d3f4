import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { nothingDone } from "../../command-kit/results.ts";
import { UsageError } from "../../core/errors.ts";
import { environmentNames } from "../../core/sandbox.ts";
import { isLoopback } from "../../core/urls.ts";

export default defineCommand({
  path: "sandbox serve",
  summary: "Serve the sandbox over HTTP, for curl, SDKs and browsers",
  details:
    "--only serves fewer operations, and describes only those. documented: everything documented, nothing that the sandbox assumes. legacy: the same without the newer paths of deprecated operations. replacements: no deprecated operations, but what replaces them; the format of their pages is the sandbox's own.",
  flags: {
    port: flag.integerOr("Port to listen on; 0 picks a free one", "8787", {
      value: "PORT",
      minimum: 0,
      maximum: 65_535,
    }),
    host: flag.textOr("Address to listen on", "127.0.0.1", { value: "HOST" }),
    only: flag.choice(
      "Serve only these operations; all documented and assumed ones when left out",
      environmentNames,
      { value: "ENVIRONMENT" },
    ),
  },
  uses: ["sandbox"],
  view: { kind: "record", id: ["url"] },
  examples: [
    { text: "Serve until Ctrl-C", command: "gpuctl sandbox serve" },
    { text: "On a free port, its address as JSON", command: "gpuctl sandbox serve --port 0 -o json" },
    {
      text: "As a service that has replaced what is deprecated",
      command: "gpuctl sandbox serve --port 0 --only replacements",
    },
  ],
  run: async ({ flags: { port, host, only }, sandbox, settings, say, interrupted }) => {
    if (host.trim() === "") throw new UsageError("--host must be an address such as 127.0.0.1, not empty");
    if (settings.dryRun) {
      say(nothingDone);
      return { data: { url: null, host, port } };
    }
    const { serve, keys } = await sandbox();
    const server = await serve({ host, port, only });
    const what = only === undefined ? "" : ` with the operations of --only ${only}`;
    say(`Serving the sandbox${what}. It rents nothing and runs no model. Press Ctrl-C to stop.`);
    if (!isLoopback(new URL(server.url).hostname)) {
      say("Anyone who can reach this address over the network can use it too.");
    }
    return {
      data: { url: server.url, apiKey: keys.full, readOnlyApiKey: keys.readOnly },
      until: untilAborted(interrupted).then(server.close),
    };
  },
});

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
