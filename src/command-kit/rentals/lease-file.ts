import { join } from "node:path";
import { UsageError } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { type FlagValues, flag } from "../flag.ts";

/** The name of the lease file in the state folder. */
const leaseFileName = "leases.jsonl";

export const leaseFileFlag = {
  leaseFile: flag.text(
    "File with the leases, which say when rentals should end; several computers can share it",
    {
      value: "PATH",
      env: "GPUCTL_LEASE_FILE",
      defaultText: `${leaseFileName} in the state folder`,
    },
  ),
};

type LeaseFlags = FlagValues<typeof leaseFileFlag>;

/** Throws `UsageError` for an empty `--lease-file`. */
export function assertLeaseFile({ leaseFile }: LeaseFlags): void {
  if (leaseFile === "") throw new UsageError("--lease-file must not be empty");
}

/** The lease file of `--lease-file`, or else the one in the state folder. Throws `UsageError` for an empty path. */
export function leasePlace(flags: LeaseFlags, { files, sleep }: Pick<Context, "files" | "sleep">) {
  assertLeaseFile(flags);
  const { leaseFile } = flags;
  const { processes } = files;
  return leaseFile === undefined
    ? { path: join(files.state, leaseFileName), ownFolder: true, processes, sleep }
    : { path: files.resolve(leaseFile), ownFolder: false, processes, sleep };
}

/** The flag that selects a lease file; none for the file in the state folder, which is the default. */
export const leaseFileArgs = (path: string, files: Pick<Context["files"], "state">): readonly string[] =>
  path === defaultLeaseFile(files) ? [] : ["--lease-file", path];

/** Undefined if there is no state folder, because there is no home folder. */
function defaultLeaseFile(files: Pick<Context["files"], "state">): string | undefined {
  try {
    return join(files.state, leaseFileName);
  } catch {
    return undefined;
  }
}
