import type { Effect } from "../contract/operation.ts";

/** What the user can allow beyond reading. */
export const permissions = ["write", "spend", "destroy"] as const;
export type Permission = (typeof permissions)[number];

/** The permission that each effect needs; none for reading. */
const needed: Readonly<Record<Effect, Permission | undefined>> = {
  read: undefined,
  write: "write",
  spend: "spend",
  generate: "spend",
  destroy: "destroy",
};

export const permissionFor = (effect: Effect): Permission | undefined => needed[effect];

/** What a tool that needs this permission does, as a predicate: `NAME changes something`. */
export const predicateOf: Readonly<Record<Permission, string>> = {
  write: "changes something",
  spend: "spends money",
  destroy: "deletes something for good",
};

/** The flags of `gpuctl mcp` that grant each permission. */
export const flagsFor: Readonly<Record<Permission, string>> = {
  write: "--allow write",
  spend: "--allow spend --max-cost AMOUNT --max-burn AMOUNT",
  destroy: "--allow destroy",
};
