import { isLoopback } from "../../client/request.ts";
import { UsageError } from "../errors.ts";
import { nothingDone } from "../shared/dry-run.ts";
import { parseNumber } from "../shared/values.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, context, { flags }) => {
    const port = parseNumber(String(flags.port), "--port");
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new UsageError(`--port must be a whole number from 0 to 65535, not ${port}`);
    }
    const host = String(flags.host);
    if (host.trim() === "") throw new UsageError("--host must be an address such as 127.0.0.1, not empty");
    if (context.settings.dryRun) {
      context.say(nothingDone);
      return { data: { url: null, host, port } };
    }
    const sandbox = await context.sandbox();
    const only = flags.only === undefined ? undefined : String(flags.only);
    const server = await sandbox.serve({ host, port, only });
    const what = only === undefined ? "" : `, with the operations of --only ${only}`;
    context.say(`The sandbox is served${what}. It rents nothing and runs no model. Ctrl-C ends it.`);
    if (!isLoopback(new URL(server.url).hostname))
      context.say("Whoever reaches this address over the network can use it, too.");
    return {
      data: { url: server.url, apiKey: sandbox.keys.full, readOnlyApiKey: sandbox.keys.readOnly },
      until: untilInterrupted(context.interrupted).then(server.close),
    };
  },
};

const untilInterrupted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
