import { dirname } from "node:path";
import { type Check, failure, ok } from "../finding.ts";

/** The state can be written; a folder that is not there yet can be made. */
export const state: Check = async ({ stateFolder, stat }) => {
  let path = stateFolder;
  let found = await stat(path);
  while (found === undefined && dirname(path) !== path) {
    path = dirname(path);
    found = await stat(path);
  }
  const advice = "Make it writable, or name another one with GPUCTL_STATE_DIR.";
  if (!found?.isFolder) return failure(`${path} is no folder`, advice);
  if (!found.writable) return failure(`${path} cannot be written`, advice);
  return ok(path === stateFolder ? stateFolder : `${stateFolder} will be made when it is needed`);
};
