import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, type TestContext } from "vitest";

/** With this variable at 1 a test whose program is missing fails instead of being skipped. */
const requireVariable = "GPUCTL_TEST_REQUIRE";

/** The reason for which tests are skipped, from which the end of a run lists the programs. */
export const missingProgram = /^(\S+) is not installed$/;

/** Skips the tests of the describe block or file that calls it where a program is not installed. */
export function needs(program: string): void {
  beforeEach((context) => skipWithout(program, context));
}

/**
 * Skips a test where a program is not installed.
 * @throws when every program is required
 */
export function skipWithout(program: string, { skip }: Pick<TestContext, "skip">): void {
  if (isInstalled(program)) return;
  if (process.env[requireVariable] === "1") {
    throw new Error(`${program} is not installed, and ${requireVariable}=1 requires it`);
  }
  skip(`${program} is not installed`);
}

const known = new Map<string, boolean>();

function isInstalled(program: string): boolean {
  const before = known.get(program);
  if (before !== undefined) return before;
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = folders.some((folder) => isExecutable(join(folder, program)));
  known.set(program, found);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
