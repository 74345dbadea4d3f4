import { onTestFinished } from "vitest";
import { type Client, type ClientOptions, createClient } from "../../src/library/client.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/library/sandbox.ts";
import { throughProxy } from "../support/conformance.ts";

export const key = "sk-library-0123456789";

/** A client for a base URL, closed when the test ends. */
export function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ baseUrl, apiKey: key, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** A sandbox in this process, closed when the test ends, and a client of it. */
export async function openSandbox(
  options: SandboxOptions = {},
  clientOptions: Partial<ClientOptions> = {},
): Promise<{ readonly sandbox: Sandbox; readonly client: Client }> {
  const sandbox = await createSandbox({ serve: false, ...options });
  onTestFinished(() => sandbox.close());
  const { url, keys } = sandbox;
  const { fetch } = throughProxy({ fetch: (request: Request) => sandbox.fetch(request) }, options.only);
  const clientFetch: ClientOptions["fetch"] = (to, init) => fetch(new Request(to, init));
  return {
    sandbox,
    client: createClient({ baseUrl: url, apiKey: keys.full, fetch: clientFetch, ...clientOptions }),
  };
}
