import { afterAll, beforeAll, beforeEach } from "vitest";
import { createHome, type Environment, type Home, key } from "./command.ts";
import { type Asked, type ForeignServer, serveForeign } from "./foreign-server.ts";

/** One server of another's making for all tests of a file, its memory cleared before each. */
export function useForeign() {
  let server: ForeignServer | undefined;
  beforeAll(async () => {
    server = await serveForeign({ key });
  });
  afterAll(() => server?.close());
  beforeEach(() => {
    server?.asked.splice(0);
  });
  return {
    asked: (): readonly Asked[] => server?.asked ?? [],
    /** A home whose settings name the server. */
    home: (more: Environment = {}): Promise<Home> => homeAt(server?.url ?? "", more),
  };
}

export const homeAt = (url: string, more: Environment = {}): Promise<Home> =>
  createHome({ GPUCTL_BASE_URL: url, GPUCTL_API_KEY: key, ...more });

/** What a request is judged by; the order of calls side by side is nobody's business. */
export const sorted = (asked: readonly Asked[]) =>
  asked
    .map(({ method, path, query, body }) => ({ method, path, query, body }))
    .sort((a, b) => `${a.method} ${a.path}`.localeCompare(`${b.method} ${b.path}`));
