import type { Responder, RunOptions } from "./cli.ts";

export const serviceUrl = "https://api.example.com";
export const key = "secret-key-abcd1234";

/** Options of a run that talks to a service over the network: its URL and a key are in the environment. */
export const overNetwork = (env: Readonly<Record<string, string>> = {}): RunOptions => ({
  env: { GPUCTL_BASE_URL: serviceUrl, GPUCTL_API_KEY: key, ...env },
});

/** The same response to every request. */
export const always =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Responder =>
  () =>
    typeof body === "string"
      ? new Response(body, { status, headers })
      : Response.json(body, { status, headers });

/** These responses in turn, then those of the sandbox. */
export function inTurn(...responders: readonly (() => Response)[]): Responder {
  const left = [...responders];
  return () => left.shift()?.();
}
