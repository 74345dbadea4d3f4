import { join } from "node:path";
import type { DescriptionCache } from "../../client/description.ts";
import type { Fetch, FetchInit } from "../../client/fetch.ts";
import type { Probe } from "../../client/probe/probe.ts";
import type { RequestParts } from "../../client/request.ts";
import type { Transport } from "../../client/transport/transport.ts";
import type {
  SandboxControl,
  SandboxFacts,
  SandboxHealth,
  SandboxMachines,
  SandboxServer,
} from "../../command-kit/context.ts";
import type { Settings } from "../../config/settings.ts";
import { type ResponseLimits, responseLimits } from "../../contract/plain/response-limits.ts";
import type { Redactor } from "../../core/redact.ts";
import { sandboxKeys } from "../../core/sandbox.ts";
import type { System } from "../../system/types.ts";
import type { Notes } from "../print/notes.ts";

/** What every step of a run uses. */
export interface Runtime {
  readonly settings: Settings;
  readonly system: System;
  readonly services: Services;
  readonly notes: Notes;
  readonly redactor: Redactor;
}

/** What other parts of gpuctl provide for a run. Each part is loaded on first use. Tests substitute their own parts. */
export interface Services {
  readonly version: string;
  /** The versions of Node.js that gpuctl runs on, such as `>=20.19`. */
  readonly neededNode: string;
  readonly network: {
    readonly connect: () => Promise<Transport>;
    /** Probes a host, without sending a key. Throws if it cannot be reached within `timeout` milliseconds. */
    readonly probe: (url: string, timeout: number) => Promise<Probe>;
    /** The proxy that the environment sets for a URL. */
    readonly proxyFor: (url: string) => Promise<string | undefined>;
    readonly limits: ResponseLimits;
  };
  readonly sandbox: {
    readonly open: (options: OpenOptions) => Promise<Sandbox>;
    /** Renames a state file that cannot be used, and returns its new path. */
    readonly setAside: () => Promise<string>;
    readonly facts: SandboxFacts;
    /** The controls of a served sandbox. Throws `NotFound` if the host is not a sandbox. */
    readonly connect: (
      url: string,
      send: (request: ControlRequest) => Promise<string>,
    ) => Promise<SandboxControl & SandboxFacts>;
    readonly health: () => Promise<SandboxHealth>;
  };
  readonly descriptionCache: () => Promise<DescriptionCache>;
}

/** A request to the controls of a served sandbox. An `open` request is sent without the token of the controls. */
interface ControlRequest extends Pick<RequestParts, "method" | "path" | "query" | "body" | "open"> {
  /** Does not mask keys in the response. */
  readonly keepsKeys?: boolean;
}

interface OpenOptions {
  /** Keeps the state in memory only. */
  readonly memory?: boolean;
  /** Called with the key of an engine when the sandbox reads it. */
  readonly onKey: (key: string | undefined) => void;
}

/** The in-process sandbox: a `fetch` that it handles itself, and its controls. */
export interface Sandbox extends SandboxControl, SandboxServer {
  readonly fetch: Fetch;
  /** Whether a secret is a key of the sandbox, revoked or not. */
  readonly hasKey: (secret: string) => boolean;
  readonly startMachines: () => Promise<SandboxMachines>;
  readonly close: () => void;
}

export function createServices(
  build: Pick<Services, "version" | "neededNode">,
  { files: { folders }, env }: Pick<System, "files" | "env">,
): Services {
  const stateFile = () => join(folders.state, "sandbox.sqlite");
  return {
    ...build,
    network: {
      connect: async () => (await import("../../client/transport/transport.ts")).createTransport(),
      probe: async (url, timeout) => (await import("../../client/probe/probe.ts")).probe(url, timeout),
      proxyFor: async (url) => (await import("../../client/transport/hosts.ts")).proxyUrl(url),
      limits: responseLimits,
    },
    sandbox: {
      open: ({ memory = false, onKey }) => openSandbox(memory ? ":memory:" : stateFile(), env, onKey),
      setAside: async () => (await import("../../sandbox/store/store.ts")).setAside(stateFile()),
      facts: {
        keys: async () => sandboxKeys,
        limits: async () => (await import("../../sandbox/limits.ts")).sandboxLimits,
      },
      connect: async (url, send) =>
        (await import("../../sandbox/control/remote.ts")).connectToControls(url, send),
      health: async () => (await import("../../sandbox/health.ts")).health(stateFile()),
    },
    descriptionCache: async () =>
      (await import("../../system/description-cache.ts")).descriptionFiles(() => folders.state),
  };
}

/** Sends a request to a sandbox in this process. */
type Send = (
  url: string,
  request: FetchInit,
) => Promise<{
  readonly status: number;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}>;

/** A `fetch` that a sandbox in this process handles. */
export const sandboxFetch =
  ({ send }: { readonly send: Send }): Fetch =>
  async (url, { onSent, ...request }) => {
    const pending = send(url, request);
    onSent?.();
    const response = await pending;
    return {
      status: response.status,
      headers: {
        get: (name) => response.headers[name.toLowerCase()] ?? null,
        entries: () => Object.entries(response.headers).sort(([one], [other]) => (one < other ? -1 : 1)),
      },
      body: response.body === null ? null : response.chunks(),
    };
  };

async function openSandbox(file: string, env: System["env"], onKey: OpenOptions["onKey"]): Promise<Sandbox> {
  const { createSandbox } = await import("../../sandbox/index.ts");
  const sandbox = await createSandbox({
    file,
    searchPath: env.PATH,
    // The sandbox reads only variables that hold keys. The caller of `onKey` must mask them, because an engine may
    // repeat its key.
    environment: (name) => {
      onKey(env[name]);
      return env[name];
    },
  });
  const serving: (() => Promise<void>)[] = [];
  return {
    ...sandbox,
    fetch: sandboxFetch(sandbox),
    serve: async ({ only, machines = false, ...address }) => {
      const { serve } = await import("../../sandbox/serve.ts");
      const started = machines ? await sandbox.startMachines({ untilEnd: true }) : undefined;
      const served = await serve(sandbox.withOperationSet(only), address);
      serving.push(served.close);
      return { ...served, identityFile: started?.identityFile() };
    },
    close: () => {
      for (const stop of serving) void stop();
      sandbox.close();
    },
  };
}
