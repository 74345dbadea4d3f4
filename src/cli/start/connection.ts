import type { Call, RawCall } from "../../client/call.ts";
import type { Fetch, Observer } from "../../client/fetch.ts";
import type { List } from "../../client/list.ts";
import { requestParts, type Target } from "../../client/request.ts";
import type { CallOptions } from "../../client/send.ts";
import type { Stream } from "../../client/stream.ts";
import type { Describe, Place } from "../../command-kit/context.ts";
import { createKeyring, type Keyring } from "../../config/credentials.ts";
import type { Settings } from "../../config/settings.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { OperationId } from "../../contract/index.ts";
import { once } from "../../core/once.ts";
import type { System } from "../../system/types.ts";
import type { IsListedFor } from "../prompt/check.ts";
import { describing } from "./describing.ts";
import { DryRun, type ShownRequest, shownRequest } from "./dry-run.ts";
import type { Sandbox, Services } from "./services.ts";

/** The address of the in-process sandbox, a name that never leads to another host. */
const sandboxUrl = "http://sandbox.localhost";

export interface Connection {
  readonly call: Call;
  readonly stream: Stream;
  readonly list: List;
  /** A request that need not be in the contract. */
  readonly request: RawCall;
  readonly describe: Describe;
  readonly isListed: IsListedFor;
  readonly callAt: (place: Place) => Call;
  readonly keyring: Keyring;
  readonly sandbox: () => Promise<Sandbox>;
  /** The requests that a dry run would have sent. */
  readonly shown: readonly ShownRequest[];
  readonly close: () => Promise<void>;
}

export interface ConnectionOptions {
  readonly settings: Settings;
  readonly system: System;
  readonly services: Services;
  readonly observe?: Observer;
  readonly warn?: (line: string) => void;
  /** Called whenever a request was sent and its response is awaited. */
  readonly meanwhile?: () => void;
}

const ignore = () => {};

/** Calls to the service that the settings name. The connection is opened by the first one. */
export function connect({
  settings,
  system,
  services,
  observe = ignore,
  warn = ignore,
  meanwhile = ignore,
}: ConnectionOptions): Connection {
  const { clock, interrupted, random } = system;
  const userAgent = `gpuctl/${services.version}`;
  const shown: ShownRequest[] = [];
  const opened: (() => void)[] = [];
  const sandbox = once(async () => {
    const one = await services.sandbox.open();
    opened.push(one.close);
    return one;
  });
  const transport = once(async () => {
    const one = await services.network.connect();
    opened.push(one.close);
    return one;
  });
  const keyring = createKeyring({ settings, output: system.programs.output, sandbox });
  const target = async (route: Parameters<Keyring["keyFor"]>[0]): Promise<Target> => ({
    baseUrl: settings.sandbox ? sandboxUrl : settings.baseUrl,
    inferenceBaseUrl: settings.sandbox ? sandboxUrl : settings.inferenceBaseUrl,
    apiKey: await keyring.keyFor(route),
    userAgent,
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
    sleep: (milliseconds) => clock.sleep(milliseconds, interrupted),
    random,
    now: clock.now,
    signal: interrupted,
    warn,
  } satisfies Omit<CallOptions, "target">;
  const forDescription = async () => ({ ...options, target: await target(routes.getOpenApiDocument) });
  const { describe, descriptions, replacementFor, isListed } = describing({
    settings,
    interrupted,
    descriptions: services.descriptions,
    options: forDescription,
    warn,
  });
  /** Options for sending an operation. A dry run records the request and throws `DryRun`. */
  const optionsFor = async (id: OperationId, input: object): Promise<CallOptions> => {
    const to = await target(routes[id]);
    if (!settings.dryRun) return { ...options, target: to, ...(descriptions && { descriptions }) };
    const parts = (await replacementFor(id, input)) ?? requestParts(routes[id], input);
    shown.push(shownRequest(parts, to));
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
      return (await import("../../client/call.ts")).call(id, input, { ...given, ...changes });
    },
    stream: async (id, input) => {
      const given = await optionsFor(id, input);
      return (await import("../../client/stream.ts")).stream(id, input, given);
    },
    list: async (id, input) => {
      const given = await optionsFor(id, input);
      return (await import("../../client/list.ts")).list(id, input, given);
    },
    request: async (parts, changes) => {
      const { acceptAnything, rawCall } = await import("../../client/call.ts");
      const to = await target(parts);
      if (!settings.dryRun) return rawCall(parts, { ...options, target: to, ...changes });
      shown.push(shownRequest(parts, to, acceptAnything));
      throw new DryRun();
    },
    callAt: (place) => async (id, input, changes) =>
      (await import("../../client/call.ts")).call(id, input, {
        ...options,
        fetch: async (url, init) => (await transport()).fetch(url, init),
        target: {
          apiKey: place.apiKey,
          baseUrl: place.baseUrl,
          inferenceBaseUrl: place.inferenceBaseUrl,
          userAgent,
          insecureHttp: settings.insecureHttp,
        },
        ...changes,
      }),
    close: async () => {
      for (const close of opened) close();
    },
  };
}
