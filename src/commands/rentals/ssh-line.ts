import { quoted } from "../../output/quoted.ts";
import type { SshAddress } from "../../output/ssh.ts";

/** The words after `ssh` that lead to a node. What follows the place is an option of ssh or the command to run there. */
export const sshArgs = ({ host, port, user }: SshAddress, more: readonly string[]): readonly string[] => [
  "-p",
  String(port),
  user === undefined ? host : `${user}@${host}`,
  ...more,
];

/** The same as a line for a shell. */
export const sshLine = (args: readonly string[]): string => ["ssh", ...args].map(quoted).join(" ");
