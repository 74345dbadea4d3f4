import { join } from "node:path";
import type { Description, DescriptionCache } from "../../client/description.ts";
import type { Probe } from "../../client/probe.ts";
import type { Transport } from "../../client/transport.ts";
import type { SandboxControl, SandboxFacts, SandboxHealth } from "../../command-kit/context.ts";
import type { Shell } from "../../core/shells.ts";
import type { Topic } from "../../core/topics.ts";
import type { System } from "../../system/types.ts";

/** What other rooms provide for a run, each part loaded on first use. To add a capability, add it here and in `createServices`. */
export interface Services {
  readonly version: string;
  /** The versions of Node.js that gpuctl runs on, such as `>=20.19`. */
  readonly neededNode: string;
  readonly network: {
    readonly connect: () => Promise<Transport>;
    /** What a host shows without a key. Throws when it cannot be reached within `timeout` milliseconds. */
    readonly probe: (url: string, timeout: number) => Promise<Probe>;
    /** The proxy that the environment names for a URL. */
    readonly proxyFor: (url: string) => Promise<string | undefined>;
  };
  readonly sandbox: {
    readonly open: () => Promise<Sandbox>;
    /** What is the same for every sandbox, known without opening one. */
    readonly facts: () => Promise<SandboxFacts>;
    readonly health: () => Promise<SandboxHealth>;
  };
  readonly descriptions: {
    readonly cache: DescriptionCache;
    /** What the service is documented to offer; with `assumed` also what the sandbox adds. */
    readonly documented: (options: { readonly assumed: boolean }) => Promise<Description>;
  };
  readonly documents: {
    readonly completionScript: (shell: Shell) => Promise<string>;
    /** A help topic; undefined when there is none of that name. */
    readonly topic: (name: string) => Promise<Topic | undefined>;
  };
}

/** The service on this machine: a `fetch` of its own, and its controls. */
export interface Sandbox extends SandboxControl {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Whether a secret is one of its keys, revoked or not. */
  readonly hasKey: (secret: string) => boolean;
  /** The prefix of every key that it issues. */
  readonly keyPrefix: string;
  readonly close: () => void;
}

/** The only place of the command line that reaches the sandbox and the documents. */
export function createServices(
  build: Pick<Services, "version" | "neededNode">,
  { files }: Pick<System, "files">,
): Services {
  const stateFile = () => join(files.folders.state, "sandbox.sqlite");
  return {
    ...build,
    network: {
      connect: async () => (await import("../../client/transport.ts")).createTransport(),
      probe: async (url, timeout) => (await import("../../client/probe.ts")).probe(url, timeout),
      proxyFor: async (url) => (await import("../../client/transport.ts")).proxyUrl(url),
    },
    sandbox: {
      open: () => openSandbox(stateFile()),
      facts: async () => {
        const [{ keys }, { sandboxLimits }] = await Promise.all([
          import("../../sandbox/keys.ts"),
          import("../../sandbox/limits.ts"),
        ]);
        return { keys, limits: sandboxLimits };
      },
      health: async () => (await import("../../sandbox/health.ts")).health(stateFile()),
    },
    descriptions: {
      cache: {
        read: async (url) => (await descriptionFiles(files)).read(url),
        write: async (url, text) => (await descriptionFiles(files)).write(url, text),
      },
      documented: documentedDescription,
    },
    documents: {
      completionScript: async (shell) => (await import("./documents.ts")).completionScript(shell),
      topic: async (name) => (await import("./documents.ts")).topic(name),
    },
  };
}

async function descriptionFiles({ folders }: System["files"]) {
  return (await import("../../system/description-cache.ts")).descriptionFiles(() => folders.state);
}

export const documentedDescription: Services["descriptions"]["documented"] = async ({ assumed }) => {
  const [{ operations }, { openApi }] = await Promise.all([
    import("../../contract/index.ts"),
    import("../../contract/document/openapi.ts"),
  ]);
  const more = assumed
    ? Object.values((await import("../../sandbox/assumed/index.ts")).assumedOperations)
    : [];
  return openApi([...Object.values(operations), ...more], { servers: [] });
};

async function openSandbox(file: string): Promise<Sandbox> {
  const [{ createSandbox }, { serve }] = await Promise.all([
    import("../../sandbox/index.ts"),
    import("../../sandbox/serve.ts"),
  ]);
  const sandbox = await createSandbox({ file });
  const serving: (() => Promise<void>)[] = [];
  return {
    ...sandbox,
    serve: async ({ only, ...address }) => {
      const served = await serve(sandbox.withEnvironment(only), address);
      serving.push(served.close);
      return served;
    },
    close: () => {
      for (const stop of serving) void stop();
      sandbox.close();
    },
  };
}
