import { join } from "node:path";
import { UsageError } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { type FlagValues, flag } from "../flag.ts";

/** The name of the lease file in the state folder. */
const leaseFileName = "leases.jsonl";

export const leaseFileFlag = {
  leaseFile: flag.text("File with the leases; several machines can share it", {
    value: "PATH",
    env: "GPUCTL_LEASE_FILE",
    defaultText: `${leaseFileName} in the state folder`,
  }),
};

/** The lease file of `--lease-file`, or else the one in the state folder. Throws `UsageError` for an empty path. */
export function leasePlace(
  { leaseFile }: FlagValues<typeof leaseFileFlag>,
  { files, sleep }: Pick<Context, "files" | "sleep">,
) {
  if (leaseFile === "") throw new UsageError("--lease-file must not be empty");
  const { processes } = files;
  return leaseFile === undefined
    ? { path: join(files.state, leaseFileName), ownFolder: true, processes, sleep }
    : { path: files.resolve(leaseFile), ownFolder: false, processes, sleep };
}

/** The flag that selects a lease file; none for the file in the state folder, which is the default. */
export const leaseFileArgs = (path: string, { state }: Pick<Context["files"], "state">): readonly string[] =>
  path === join(state, leaseFileName) ? [] : ["--lease-file", path];
