import { rmSync } from "node:fs";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** A folder for the files of this run of the tests. */
    runFolder: string;
  }
}

/** Creates a folder for this run of the tests. It is removed at the end of the run, even if a worker was killed. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-tests-"));
  // Some tests start programs as another user.
  await chmod(folder, 0o755);
  project.provide("runFolder", folder);
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  // When Ctrl-C ends the run, Vitest does not call the function that is returned.
  process.once("exit", remove);
  return remove;
}
