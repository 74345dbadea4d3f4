import type { Environment } from "../urls.ts";

/** The environment variable that holds the API key. */
export const keyVariable = "GPUCTL_API_KEY";

/**
 * The environment for a program that has no use for the API key, such as ssh, which can be configured to send variables
 * to the remote machine. Windows does not distinguish upper and lower case in names of variables.
 */
export const withoutKey = (environment: Environment): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => name.toUpperCase() !== keyVariable));
