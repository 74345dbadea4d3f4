/** Exit codes. Each has the same meaning in every command. */
export const exit = {
  done: 0,
  fault: 1,
  usage: 2,
  credential: 3,
  forbidden: 4,
  notFound: 5,
  refused: 6,
  service: 7,
  notReady: 8,
  network: 9,
  unknownOutcome: 10,
  budget: 11,
  someFailed: 12,
  interrupted: 130,
} as const;

/** The exit code for the status of a failed response. */
export function exitForStatus(status: number): number {
  if (status === 401) return exit.credential;
  if (status === 403) return exit.forbidden;
  if (status === 404 || status === 405 || status === 410 || status === 501) return exit.notFound;
  if (status === 429 || status === 408) return exit.network;
  if (status >= 400 && status < 500) return exit.refused;
  return exit.service;
}
