import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, type TestContext } from "vitest";

/** If this variable is 1, a test fails instead of being skipped when its program is missing. */
const requireVariable = "GPUCTL_TEST_REQUIRE";

/** Matches the note of a skipped test, from which `MissingPrograms` takes the name of the program. */
export const missingProgram = /^(\S+) is not installed$/;

/** Skips the tests of the calling describe block or file if a program is not installed. */
export function needs(program: string): void {
  beforeEach((context) => skipWithout(program, context));
}

/**
 * Skips a test if a program is not installed.
 * @throws if `GPUCTL_TEST_REQUIRE` is 1 and the program is missing
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
