import type { Divert } from "../../client/divert.ts";
import type { Fetch, Observer } from "../../client/fetch.ts";
import { acceptAnything, requestParts, type Target, wireRequest } from "../../client/request.ts";
import type { CallOptions } from "../../client/send.ts";
import type { Transport } from "../../client/transport/transport.ts";
import type { Context, Endpoint, Ports, SandboxControl, SandboxFacts } from "../../command-kit/context.ts";
import { createKeyring, type Keyring } from "../../config/credentials.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { OperationId } from "../../contract/index.ts";
import { controlToken, tokenFileVariable } from "../../core/control-token.ts";
import { isRead } from "../../core/service-errors.ts";
import { once } from "../../core/tasks/once.ts";
import type { IsListedFor } from "../prompt/check.ts";
import { DryRun, type ShownRequest, shownRequest } from "./dry-run.ts";
import { redactedFetch } from "./redacted-fetch.ts";
import { createServiceDescription } from "./service-description.ts";
import type { Runtime, Sandbox } from "./services.ts";

/** The base URL of the in-process sandbox. A `.localhost` name never resolves to another host. */
const sandboxUrl = "http://sandbox.localhost";

export interface Connection extends Pick<Ports, "callAt" | "requestAt"> {
  readonly calls: Pick<
    Context,
    "call" | "stream" | "list" | "request" | "requestList" | "prepare" | "describe"
  >;
  readonly isListed: IsListedFor;
  readonly keyring: Keyring;
  readonly sandbox: () => Promise<Sandbox>;
  readonly sandboxServer: Ports["sandboxServer"];
  readonly setSandboxAside: Ports["setSandboxAside"];
  /** The controls of the served sandbox, if a flag or variable names one. */
  readonly servedSandbox: (() => Promise<SandboxControl & SandboxFacts>) | undefined;
  /** The requests that the command would have sent if this were not a dry run. */
  readonly dryRunRequests: readonly ShownRequest[];
  /**
   * Whether a request that may change something was sent. Requests of `callAt` and `requestAt` do not count, nor do
   * writes that `prepare` sends on shared connections.
   */
  readonly hasWritten: () => boolean;
  readonly close: () => void;
}

interface ConnectOptions {
  readonly observe?: Observer;
  /** Called after each request is sent, before its response arrives. */
  readonly onSent?: () => void;
  /** Whether a dry run sends the requests that only read. */
  readonly readsInDryRun?: boolean | undefined;
}

const ignore = () => {};

/** Creates the functions that call the configured service. The first call opens the connection. */
export function connect(
  runtime: Runtime,
  { observe = ignore, onSent = ignore, readsInDryRun = false }: ConnectOptions = {},
): Connection {
  const { system, services, notes, redactor } = runtime;
  const settings = readsInDryRun ? { ...runtime.settings, dryRun: false } : runtime.settings;
  const isHeldBack = (request: { readonly method: string }): boolean =>
    runtime.settings.dryRun && !(readsInDryRun && isRead(request));
  const { clock, interrupted, random } = system;
  const dryRunRequests: ShownRequest[] = [];
  const connections: { readonly close: () => void }[] = [];
  const openOnce = <Closable extends (typeof connections)[number]>(open: () => Promise<Closable>) =>
    once(async () => {
      const connection = await open();
      connections.push(connection);
      return connection;
    });
  let openSandbox = openOnce(() => services.sandbox.open({ onKey: redactor.add }));
  const sandbox = () => openSandbox();
  const setSandboxAside = async () => {
    await openSandbox().then(({ close }) => close(), ignore);
    openSandbox = openOnce(() => services.sandbox.open({ onKey: redactor.add }));
    return services.sandbox.setAside();
  };
  const transport = openOnce(services.network.connect);
  const keyring = createKeyring({ settings, output: system.programs.output, sandbox });
  const sender = { userAgent: `gpuctl/${services.version}`, insecureHttp: settings.insecureHttp };
  const target = async (route: Parameters<Keyring["keyFor"]>[0]): Promise<Target> => ({
    ...sender,
    baseUrl: settings.sandbox ? sandboxUrl : settings.baseUrl,
    inferenceBaseUrl: settings.sandbox ? sandboxUrl : settings.inferenceBaseUrl,
    apiKey: await secretKey(keyring.keyFor(route)),
  });
  /** Registers the key with the redactor, so that it is never shown, even if a response quotes it. */
  const secretKey = async (key: Promise<string | undefined>) => {
    redactor.add(await key);
    return key;
  };
  let hasWritten = false;
  const fetch: Fetch = async (url, init) => {
    const { fetch: send } = await (settings.sandbox ? sandbox() : transport());
    if (!isRead(init)) hasWritten = true;
    return send(url, { ...init, onSent });
  };
  /**
   * Lets `divert` take strings out of a response before keys are masked. The strings hold pictures or sound, which are
   * not shown as text, so they need no masking.
   */
  const diverting = async (divert: Divert): Promise<Pick<CallOptions, "fetch">> => {
    const { divertingFetch } = await import("../../client/divert.ts");
    const { generate } = services.network.limits.body;
    return { fetch: redactedFetch(divertingFetch(fetch, divert, generate), redactor) };
  };
  const options = {
    fetch: redactedFetch(fetch, redactor),
    observe,
    limits: services.network.limits,
    timeout: settings.timeout,
    retries: settings.retries,
    sleep: (milliseconds, signal = interrupted) => clock.sleep(milliseconds, signal),
    random,
    now: clock.now,
    signal: interrupted,
    warn: notes.say,
  } satisfies Omit<CallOptions, "target">;
  const { describe, descriptions, replacementFor, isListed } = createServiceDescription(
    { ...runtime, settings },
    async () => ({
      ...options,
      target: await target(routes.getOpenApiDocument),
    }),
  );
  /** Options for sending an operation. If a dry run must not send it, records the request and throws `DryRun`. */
  const optionsFor = async (id: OperationId, input: object): Promise<CallOptions> => {
    const to = await target(routes[id]);
    if (!isHeldBack(routes[id])) return { ...options, target: to, ...(descriptions && { descriptions }) };
    const parts = (await replacementFor(id, input)) ?? requestParts(routes[id], input);
    dryRunRequests.push(shownRequest(parts, to));
    throw new DryRun();
  };
  /** The limits of one request. Ctrl-C interrupts the request even if the limits have a signal of their own. */
  const ownLimits = <Limits extends { readonly signal?: AbortSignal }>(limits: Limits | undefined) =>
    limits?.signal ? { ...limits, signal: AbortSignal.any([interrupted, limits.signal]) } : limits;
  const connectToServed = (url: string) => async () => {
    const { rawCall } = await import("../../client/call.ts");
    const tokenFile = system.env[tokenFileVariable];
    const token = tokenFile
      ? controlToken(system.files.readText(tokenFile) ?? "", tokenFileVariable)
      : undefined;
    redactor.add(token);
    const to = { ...sender, baseUrl: url, inferenceBaseUrl: undefined, apiKey: token };
    const served = await services.sandbox.connect(url, async ({ keepsKeys, ...request }) => {
      const open = request.open === true || token === undefined;
      const controlOptions = { ...options, ...(keepsKeys && { fetch }), target: to };
      return (await rawCall({ ...request, host: "compute", open }, controlOptions)).text();
    });
    notes.say(`Using the sandbox at ${url}.`);
    return served;
  };
  const optionsAt = ({ baseUrl, inferenceBaseUrl, apiKey }: Endpoint): CallOptions => {
    redactor.add(apiKey);
    return {
      ...options,
      fetch: redactedFetch(async (url, init) => (await transport()).fetch(url, init), redactor),
      target: { ...sender, baseUrl, inferenceBaseUrl, apiKey },
    };
  };
  return {
    dryRunRequests,
    hasWritten: () => hasWritten,
    sandbox,
    sandboxServer: (serverOptions) =>
      openOnce(() => services.sandbox.open({ ...serverOptions, onKey: redactor.add }))(),
    setSandboxAside,
    servedSandbox:
      settings.servedSandbox === undefined ? undefined : once(connectToServed(settings.servedSandbox)),
    keyring,
    isListed,
    calls: {
      describe,
      call: async (id, input, { divert, ...limits } = {}) => {
        const callOptions = { ...(await optionsFor(id, input)), ...(divert && (await diverting(divert))) };
        return (await import("../../client/call.ts")).call(id, input, {
          ...callOptions,
          ...ownLimits(limits),
        });
      },
      stream: async (id, input, limits) => {
        const callOptions = await optionsFor(id, input);
        return (await import("../../client/stream.ts")).stream(id, input, {
          ...callOptions,
          ...ownLimits(limits),
        });
      },
      list: async (id, input, listOptions) => {
        const callOptions = await optionsFor(id, input);
        return (await import("../../client/list.ts")).list(id, input, { ...callOptions, ...listOptions });
      },
      requestList: async (parts) => {
        const to = await target(parts);
        if (!isHeldBack(parts)) {
          return (await import("../../client/list.ts")).rawList(parts, { ...options, target: to });
        }
        dryRunRequests.push(shownRequest(parts, to, acceptAnything));
        throw new DryRun();
      },
      request: async (parts, { divert, reusesConnection, ...limits } = {}) => {
        const { rawCall } = await import("../../client/call.ts");
        const to = await target(parts);
        if (!isHeldBack(parts)) {
          const { fetch: send } = divert ? await diverting(divert) : options;
          const reusing: Fetch = (url, init) => send(url, { ...init, reusesConnection: true });
          return rawCall(parts, {
            ...options,
            target: to,
            ...ownLimits(limits),
            fetch: reusesConnection ? reusing : send,
          });
        }
        dryRunRequests.push(shownRequest(parts, to, acceptAnything));
        throw new DryRun();
      },
      prepare: async (parts) => {
        // The key is read again before each write, because `apiKeyCommand` may print a new one in the meantime.
        let to = await target(parts);
        const { rawCall } = await import("../../client/call.ts");
        const { sharedByWrites }: Partial<Transport> = settings.sandbox ? {} : await transport();
        if (!sharedByWrites) {
          return async (body) => rawCall({ ...parts, body }, { ...options, target: await target(parts) });
        }
        const { prepareWrite } = await import("../../client/prepared.ts");
        const requestTo = (one: Target) => wireRequest({ ...parts, body: "" }, one, acceptAnything);
        let request = requestTo(to);
        const connections = await sharedByWrites(request.url);
        const write = prepareWrite(request, { ...options, connections, redact: redactor.redact });
        return async (body) => {
          const now = await target(parts);
          if (now.apiKey !== to.apiKey) [to, request] = [now, requestTo(now)];
          return write(body, request);
        };
      },
    },
    callAt: (endpoint) => async (id, input, limits) =>
      (await import("../../client/call.ts")).call(id, input, { ...optionsAt(endpoint), ...limits }),
    requestAt: (endpoint) => async (parts, limits) =>
      (await import("../../client/call.ts")).rawCall(parts, { ...optionsAt(endpoint), ...limits }),
    close: () => {
      for (const connection of connections) connection.close();
    },
  };
}
