import { stamp } from "../clock.ts";
import { Refusal } from "../refusal.ts";
import { addSshKey, listSshKeys, removeSshKey } from "../tables/ssh-keys.ts";
import type { Handlers } from "./handler.ts";

export const sshKeys = {
  listSshKeys: (_input, { store, userId }) => [...listSshKeys(store, userId)],

  createSshKey({ name, publicKey }, { store, userId, now }) {
    const key = { name, publicKey: publicKey.trim(), createdAt: stamp(now) };
    return { id: store.write(() => addSshKey(store, userId, key)), ...key };
  },

  deleteSshKey: ({ id }, { store, userId }) =>
    store.write(() => {
      if (!removeSshKey(store, userId, id)) throw new Refusal("NOT_FOUND");
      return { success: true };
    }),
} satisfies Partial<Handlers>;
