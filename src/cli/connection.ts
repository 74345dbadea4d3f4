import type { Call, CallOptions } from "../client/call.ts";
import type { Observer } from "../client/exchange.ts";
import type { Fetch } from "../client/fetch.ts";
import type { List } from "../client/list.ts";
import type { Target } from "../client/request.ts";
import type { Stream } from "../client/stream.ts";
import type { Place } from "../context/context.ts";
import type { Sandbox, World } from "../context/world.ts";
import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import { DryRun, type ShownRequest, shownRequest } from "./dry-run.ts";
import { createKeyring, type Keyring } from "./keyring.ts";
import { once } from "./once.ts";
import type { Settings } from "./settings.ts";

/** Where the in-process sandbox pretends to be; the name can lead nowhere else. */
const sandboxUrl = "http://sandbox.localhost";

export interface Connection {
  readonly call: Call;
  readonly stream: Stream;
  readonly list: List;
  readonly callAt: (place: Place) => Call;
  readonly keyring: Keyring;
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
  const keyring = createKeyring(settings, world, sandbox);
  const target = async (id: OperationId): Promise<Target> => ({
    baseUrl: settings.sandbox ? sandboxUrl : settings.baseUrl,
    inferenceBaseUrl: settings.sandbox ? sandboxUrl : settings.inferenceBaseUrl,
    apiKey: await keyring.keyFor(routes[id]),
    userAgent: `gpuctl/${world.version}`,
    insecureHttp: settings.insecureHttp,
  });
  const fetch: Fetch = async (url, init) => {
    if (!settings.sandbox) return (await transport()).fetch(url, init);
    return (await sandbox()).fetch(new Request(url, init));
  };
  const options = {
    fetch,
    observe,
    timeout: settings.timeout,
    retries: settings.retries,
    sleep: (milliseconds) => world.sleep(milliseconds, world.interrupted),
    random: world.random,
    now: world.now,
    signal: world.interrupted,
  } satisfies Omit<CallOptions, "target">;
  return {
    shown,
    sandbox,
    call: async (id, input, changes) => {
      if (settings.dryRun) {
        shown.push(shownRequest(id, input, await target(id)));
        throw new DryRun();
      }
      return (await import("../client/call.ts")).call(id, input, {
        ...options,
        target: await target(id),
        ...changes,
      });
    },
    stream: async (id, input) => {
      if (settings.dryRun) {
        shown.push(shownRequest(id, input, await target(id)));
        throw new DryRun();
      }
      return (await import("../client/stream.ts")).stream(id, input, {
        ...options,
        target: await target(id),
      });
    },
    list: async (id, input) => {
      if (settings.dryRun) {
        shown.push(shownRequest(id, input, await target(id)));
        throw new DryRun();
      }
      return (await import("../client/list.ts")).list(id, input, { ...options, target: await target(id) });
    },
    callAt: (place) => async (id, input, changes) =>
      (await import("../client/call.ts")).call(id, input, {
        ...options,
        fetch: async (url, init) => (await transport()).fetch(url, init),
        target: {
          userAgent: `gpuctl/${world.version}`,
          insecureHttp: settings.insecureHttp,
          baseUrl: place.baseUrl,
          inferenceBaseUrl: place.inferenceBaseUrl,
          apiKey: place.apiKey,
        },
        ...changes,
      }),
    keyring,
    close: async () => {
      for (const close of opened) close();
    },
  };
}
