import type { SshAddress } from "../../output/ssh.ts";
import { UsageError } from "../errors.ts";
import { parseNumber } from "../shared/values.ts";
import type { Args } from "../spec.ts";

/** `--node N`, counted from 1; nothing when it was not given. */
export function nodeFlag({ node }: Args["flags"]): number | undefined {
  if (node === undefined) return undefined;
  const number = parseNumber(String(node), "--node");
  if (!Number.isInteger(number) || number < 1) {
    throw new UsageError(`--node must be a whole number from 1 up, not ${node}`);
  }
  return number;
}

/** The address of a node, the first one when none was named. Throws `UsageError` when there are not so many. */
export function chosenNode(
  addresses: readonly SshAddress[],
  number: number | undefined,
  rentalId: string,
): SshAddress {
  const address = addresses[(number ?? 1) - 1];
  if (address !== undefined) return address;
  const nodes = addresses.length === 1 ? "one node" : `${addresses.length} nodes`;
  throw new UsageError(
    `--node must be at most ${addresses.length}, not ${number}: rental ${rentalId} has ${nodes}`,
  );
}
