import { stamp } from "../clock.ts";
import { isKey, keyPrefix, keys as ownKeys } from "../keys.ts";
import type { Queries } from "../queries.ts";
import { issue, Refusal, refuse } from "../refusal.ts";
import { count } from "../tables/counters.ts";
import { addKey, findKey, listKeys, type NumberedKey, revokeKey } from "../tables/keys.ts";
import type { Handlers } from "./handler.ts";

/** A key as it is shown: without its value. */
const record = ({ id, name, access, secret, createdAt }: NumberedKey) => ({
  id,
  name,
  access: access === "full" ? ("full" as const) : ("read-only" as const),
  lastFour: secret.slice(-4),
  createdAt: stamp(createdAt),
});

const own: ReadonlySet<string> = new Set(Object.values(ownKeys));

/** The value of the n-th key that is made. */
export const numberedSecret = (n: number): string => `${keyPrefix}${String(n).padStart(12, "0")}`;

/** The next value in the count that no key has: a seed may have given some of them. */
function newSecret(store: Queries): string {
  const secret = numberedSecret(count(store, "apiKeys"));
  return isKey(store, secret) ? newSecret(store) : secret;
}

export const apiKeys = {
  listApiKeys: (_input, { store, userId }) => listKeys(store, userId).map(record),

  createApiKey({ name, access }, { store, userId, now }) {
    return store.write(() => {
      const secret = newSecret(store);
      const key = { secret, access, name, createdAt: now };
      return { ...record({ id: addKey(store, userId, key), ...key }), apiKey: secret };
    });
  },

  revokeApiKey: ({ id }, { store, userId }) =>
    store.write(() => {
      const key = findKey(store, userId, id);
      if (!key) throw new Refusal("NOT_FOUND");
      if (own.has(key.secret)) refuse(issue("id", "is a key of the sandbox itself, which stays"));
      revokeKey(store, id);
      return { success: true };
    }),
} satisfies Partial<Handlers>;
