import type { Call, CallOptions } from "../client/call.ts";
import type { Observer } from "../client/exchange.ts";
import type { Fetch } from "../client/fetch.ts";
import type { List } from "../client/list.ts";
import type { Target } from "../client/request.ts";
import type { Stream } from "../client/stream.ts";
import type { Sandbox, World } from "../context/world.ts";
import { DryRun, type ShownRequest, shownRequest } from "./dry-run.ts";
import type { Settings } from "./settings.ts";

/** Where the in-process sandbox pretends to be; the name can lead nowhere else. */
const sandboxUrl = "http://sandbox.localhost";

export interface Connection {
  readonly call: Call;
  readonly stream: Stream;
  readonly list: List;
  readonly sandbox: () => Promise<Sandbox>;
  /** What a dry run would have sent. */
  readonly shown: readonly ShownRequest[];
  readonly close: () => Promise<void>;
}

/** Calls to the service that the settings name, opened when the first one is made. */
export function connect(settings: Settings, world: World, observe: Observer): Connection {
  const shown: ShownRequest[] = [];
  const opened: (() => void)[] = [];
  const sandbox = once(async () => {
    const made = await world.openSandbox();
    opened.push(made.close);
    return made;
  });
  const transport = once(async () => {
    const made = await world.connect();
    opened.push(made.close);
    return made;
  });
  const target = async (): Promise<Target> => ({
    baseUrl: settings.sandbox ? sandboxUrl : settings.baseUrl,
    inferenceBaseUrl: settings.sandbox ? sandboxUrl : settings.inferenceBaseUrl,
    apiKey: settings.sandbox && !settings.dryRun ? sandboxKey(settings, await sandbox()) : settings.apiKey,
    userAgent: `gpuctl/${world.version}`,
    insecureHttp: settings.insecureHttp,
  });
  const fetch: Fetch = async (url, init) => {
    if (!settings.sandbox) return (await transport()).fetch(url, init);
    return (await sandbox()).fetch(new Request(url, init));
  };
  const options = async (): Promise<CallOptions> => ({
    fetch,
    observe,
    target: await target(),
    timeout: settings.timeout,
    retries: settings.retries,
    sleep: (milliseconds) => world.sleep(milliseconds, world.interrupted),
    random: world.random,
    now: world.now,
    signal: world.interrupted,
  });
  return {
    shown,
    sandbox,
    call: async (id, input, changes) => {
      if (settings.dryRun) {
        shown.push(shownRequest(id, input, await target()));
        throw new DryRun();
      }
      return (await import("../client/call.ts")).call(id, input, { ...(await options()), ...changes });
    },
    stream: async (id, input) => {
      if (settings.dryRun) {
        shown.push(shownRequest(id, input, await target()));
        throw new DryRun();
      }
      return (await import("../client/stream.ts")).stream(id, input, await options());
    },
    list: async (id, input) => {
      if (settings.dryRun) {
        shown.push(shownRequest(id, input, await target()));
        throw new DryRun();
      }
      return (await import("../client/list.ts")).list(id, input, await options());
    },
    close: async () => {
      for (const close of opened) close();
    },
  };
}

/** The sandbox's own key, unless the environment names one of the sandbox's. */
function sandboxKey({ apiKey }: Settings, { keys }: Sandbox): string {
  return apiKey === keys.readOnly ? keys.readOnly : keys.full;
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
