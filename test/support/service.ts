import type { Responder, RunOptions } from "./cli.ts";

export const serviceUrl = "https://api.example.com";
export const key = "secret-key-abcd1234";

/** Options of a run with a service's URL and a key in the environment. */
export const overNetwork = (env: Readonly<Record<string, string>> = {}): RunOptions => ({
  env: { GPUCTL_BASE_URL: serviceUrl, GPUCTL_API_KEY: key, ...env },
});

/** Responds to every request with the same response. */
export const always =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Responder =>
  () =>
    typeof body === "string"
      ? new Response(body, { status, headers })
      : Response.json(body, { status, headers });

/** Responds with these responses in turn, then with those of the sandbox. */
export function inTurn(...responders: readonly (() => Response)[]): Responder {
  const left = [...responders];
  return () => left.shift()?.();
}
