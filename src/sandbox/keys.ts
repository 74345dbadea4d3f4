import type { Queries } from "./queries.ts";

/** How the value of every key of a sandbox begins. */
export const keyPrefix = "gpuctl-sandbox-";

/** The sandbox's own keys: one that may do everything, one that may only read. */
export const keys = { full: `${keyPrefix}full`, readOnly: `${keyPrefix}read-only` } as const;

interface Caller {
  readonly userId: string;
  readonly mayWrite: boolean;
}

/** Who a credential belongs to; nobody when it is missing, malformed or unknown. */
export function callerOf(store: Queries, authorization: string | undefined): Caller | undefined {
  const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (secret === undefined) return undefined;
  const [row] = store.all("SELECT userId, access FROM keys WHERE secret = ? AND access != 'revoked'", secret);
  return row && { userId: String(row.userId), mayWrite: row.access === "full" };
}

/** Whether a secret is one of the sandbox's keys, be it revoked. */
export const isKey = (store: Queries, secret: string): boolean =>
  store.all("SELECT 1 FROM keys WHERE secret = ?", secret).length > 0;

export const secretsOf = (store: Queries): readonly string[] =>
  store.all("SELECT secret FROM keys").map(({ secret }) => String(secret));
