import { exit } from "../../core/exit-codes.ts";

export { exit };

/** The exit code for the status of a failed response. */
export function exitForStatus(status: number): number {
  if (status === 401) return exit.credential;
  if (status === 403) return exit.forbidden;
  if (status === 404 || status === 405 || status === 410 || status === 501) return exit.notFound;
  if (status === 429 || status === 408) return exit.network;
  if (status >= 400 && status < 500) return exit.refused;
  return exit.service;
}
