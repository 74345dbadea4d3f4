import { afterAll, beforeAll, beforeEach } from "vitest";
import { createHome, type Environment, type Home, key } from "../support/process.ts";
import { type ReceivedRequest, serveThirdParty, type ThirdPartyServer } from "./third-party-server.ts";

/** One third-party server for all tests of a file. Its list of requests is cleared before each test. */
export function useThirdParty() {
  let server: ThirdPartyServer | undefined;
  beforeAll(async () => {
    server = await serveThirdParty({ key });
  });
  afterAll(() => server?.close());
  beforeEach(() => {
    server?.requests.splice(0);
  });
  return {
    requests: (): readonly ReceivedRequest[] => server?.requests ?? [],
    /** A home whose settings name the server. */
    home: (more: Environment = {}): Promise<Home> => homeAt(server?.url ?? "", more),
  };
}

export const homeAt = (url: string, more: Environment = {}): Promise<Home> =>
  createHome({ GPUCTL_BASE_URL: url, GPUCTL_API_KEY: key, ...more });

/** The parts of requests that tests compare, sorted because the order of concurrent requests varies. */
export const sorted = (requests: readonly ReceivedRequest[]) =>
  requests
    .map(({ method, path, query, body }) => ({ method, path, query, body }))
    .sort((a, b) => `${a.method} ${a.path}`.localeCompare(`${b.method} ${b.path}`));
