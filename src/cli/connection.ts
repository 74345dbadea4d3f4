import type { Call } from "../client/call.ts";
import type { CallOptions } from "../client/call-options.ts";
import type { Observer } from "../client/exchange.ts";
import type { Fetch } from "../client/fetch.ts";
import type { List } from "../client/list.ts";
import type { RawCall } from "../client/raw-call.ts";
import type { Target } from "../client/request.ts";
import type { Stream } from "../client/stream.ts";
import type { Describe, Place } from "../context/context.ts";
import type { Sandbox, World } from "../context/world.ts";
import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import type { IsListedFor } from "./check.ts";
import { describing } from "./describing.ts";
import { DryRun, type ShownRequest, shownParts, shownRequest } from "./dry-run.ts";
import { createKeyring, type Keyring } from "./keyring.ts";
import { once } from "./once.ts";
import type { Settings } from "./settings.ts";

/** Where the in-process sandbox pretends to be; the name can lead nowhere else. */
const sandboxUrl = "http://sandbox.localhost";

export interface Connection {
  readonly call: Call;
  readonly stream: Stream;
  readonly list: List;
  /** A request that the contract need not know. */
  readonly request: RawCall;
  readonly describe: Describe;
  readonly isListed: IsListedFor;
  readonly callAt: (place: Place) => Call;
  readonly keyring: Keyring;
  readonly sandbox: () => Promise<Sandbox>;
  /** What a dry run would have sent. */
  readonly shown: readonly ShownRequest[];
  readonly close: () => Promise<void>;
}

/**
 * Calls to the service that the settings name, opened when the first one is made. `meanwhile` is called each time an
 * answer is waited for.
 */
export function connect(
  settings: Settings,
  world: World,
  observe: Observer,
  warn: (line: string) => void,
  meanwhile: () => void = () => {},
): Connection {
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
  const target = async (route: Parameters<Keyring["keyFor"]>[0]): Promise<Target> => ({
    baseUrl: settings.sandbox ? sandboxUrl : settings.baseUrl,
    inferenceBaseUrl: settings.sandbox ? sandboxUrl : settings.inferenceBaseUrl,
    apiKey: await keyring.keyFor(route),
    userAgent: `gpuctl/${world.version}`,
    insecureHttp: settings.insecureHttp,
  });
  const fetch: Fetch = async (url, init) => {
    if (!settings.sandbox) return (await transport()).fetch(url, { ...init, onSent: meanwhile });
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
    warn,
  } satisfies Omit<CallOptions, "target">;
  const forDescription = async () => ({ ...options, target: await target(routes.getOpenApiDocument) });
  const { describe, negotiator, replacementFor, isListed } = describing(
    settings,
    world,
    forDescription,
    warn,
  );
  /** How an operation is sent. A dry run shows its request, and ends there. */
  const optionsFor = async (id: OperationId, input: object): Promise<CallOptions> => {
    const to = await target(routes[id]);
    if (!settings.dryRun) return { ...options, target: to, ...(negotiator && { negotiator }) };
    const instead = await replacementFor(id, input);
    shown.push(instead ? shownParts(instead, to) : shownRequest(id, input, to));
    throw new DryRun();
  };
  return {
    shown,
    sandbox,
    keyring,
    describe,
    isListed,
    call: async (id, input, changes) => {
      const given = await optionsFor(id, input);
      return (await import("../client/call.ts")).call(id, input, { ...given, ...changes });
    },
    stream: async (id, input) => {
      const given = await optionsFor(id, input);
      return (await import("../client/stream.ts")).stream(id, input, given);
    },
    list: async (id, input) => {
      const given = await optionsFor(id, input);
      return (await import("../client/list.ts")).list(id, input, given);
    },
    request: async (parts, changes) => {
      const { anything, rawCall } = await import("../client/raw-call.ts");
      const to = await target(parts);
      if (!settings.dryRun) return rawCall(parts, { ...options, target: to, ...changes });
      shown.push(shownParts(parts, to, anything));
      throw new DryRun();
    },
    callAt: (place) => async (id, input, changes) =>
      (await import("../client/call.ts")).call(id, input, {
        ...options,
        fetch: async (url, init) => (await transport()).fetch(url, init),
        target: {
          apiKey: place.apiKey,
          baseUrl: place.baseUrl,
          inferenceBaseUrl: place.inferenceBaseUrl,
          userAgent: `gpuctl/${world.version}`,
          insecureHttp: settings.insecureHttp,
        },
        ...changes,
      }),
    close: async () => {
      for (const close of opened) close();
    },
  };
}
