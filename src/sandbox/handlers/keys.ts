import { stamp } from "../clock.ts";
import { ApiError, issueIf, throwIfInvalid } from "../errors.ts";
import { addKey, findKey, isKey, keyPrefix, keys, listKeys, type NumberedKey, revokeKey } from "../keys.ts";
import type { Queries } from "../store/queries.ts";
import { increment } from "../tables/numbers.ts";
import { addSshKey, listSshKeys, removeSshKey } from "../tables/users.ts";
import type { Handlers } from "./handler.ts";

/** A key as returned by the service, without its value. */
const record = ({ id, name, access, secret, createdAt }: NumberedKey) => ({
  id,
  name,
  access: access === "full" ? ("full" as const) : ("read-only" as const),
  lastFour: secret.slice(-4),
  createdAt: stamp(createdAt),
});

/** The n-th of the values that created keys get. */
export const numberedSecret = (n: number): string => `${keyPrefix}${String(n).padStart(12, "0")}`;

/** Returns the next value that no key has yet. A seed may already have used some values. */
function newSecret(store: Queries): string {
  const secret = numberedSecret(increment(store, "apiKeys"));
  return isKey(store, secret) ? newSecret(store) : secret;
}

export const apiAndSshKeys = {
  listApiKeys: (_input, { store, userId }) => listKeys(store, userId).map(record),

  createApiKey: (input, { store, userId, now }) =>
    store.write(() => {
      const key = { ...input, secret: newSecret(store), createdAt: now };
      return { ...record({ id: addKey(store, userId, key), ...key }), apiKey: key.secret };
    }),

  revokeApiKey: ({ id }, { store, userId }) =>
    store.write(() => {
      const key = findKey(store, userId, id);
      if (!key) throw new ApiError("NOT_FOUND");
      const isBuiltIn = Object.values<string>(keys).includes(key.secret);
      throwIfInvalid(...issueIf(isBuiltIn, "id", "is a built-in key, which cannot be revoked"));
      revokeKey(store, id);
      return { success: true };
    }),

  listSshKeys: (_input, { store, userId }) => [...listSshKeys(store, userId)],
  createSshKey: (input, { store, userId, now }) => store.write(() => addSshKey(store, userId, input, now)),

  deleteSshKey: ({ id }, { store, userId }) =>
    store.write(() => {
      if (!removeSshKey(store, userId, id)) throw new ApiError("NOT_FOUND");
      return { success: true };
    }),
} satisfies Partial<Handlers>;
