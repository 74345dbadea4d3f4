import type { CheckedInputOf } from "../contract/index.ts";
import type { Queries } from "./queries.ts";
import { issue, refuse } from "./refusal.ts";
import { listSshKeys } from "./tables/ssh-keys.ts";

type Asked = Pick<CheckedInputOf<"createVirtualMachineRental">, "sshPublicKeyId" | "sshPublicKeyIds">;

/** @throws Refusal when a rental asks for an SSH key that the user does not have */
export function needSshKeys(
  store: Queries,
  userId: string,
  { sshPublicKeyId, sshPublicKeyIds = [] }: Asked,
): void {
  if (sshPublicKeyId === undefined && sshPublicKeyIds.length === 0) return;
  const known = new Set(listSshKeys(store, userId).map(({ id }) => id));
  const unknown = (field: string, ids: readonly number[]) =>
    [...new Set(ids)].filter((id) => !known.has(id)).map((id) => issue(field, `no SSH key has the id ${id}`));
  refuse(
    ...unknown("sshPublicKeyId", sshPublicKeyId === undefined ? [] : [sshPublicKeyId]),
    ...unknown("sshPublicKeyIds", sshPublicKeyIds),
  );
}
