import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, type TestContext } from "vitest";

/** If this variable is 1, a test fails instead of being skipped when its program is missing. */
const requireVariable = "GPUCTL_TEST_REQUIRE";

/** Matches the note of a skipped test, from which `MissingPrograms` takes the name of the program. */
export const missingProgram = /^(\S+) is not installed$/;

interface Needed {
  /** Whether a missing program makes a test fail if `GPUCTL_TEST_REQUIRE` is 1. Default: true. */
  readonly required?: boolean;
}

/** Skips the tests of the calling describe block or file, or makes them fail, as `skipWithout` does. */
export function needs(program: string, needed?: Needed): void {
  beforeEach((context) => skipWithout(program, context, needed));
}

/**
 * Skips a test if a program is not installed.
 * @throws if `GPUCTL_TEST_REQUIRE` is 1, and the program is missing and `required`
 */
export function skipWithout(
  program: string,
  { skip }: Pick<TestContext, "skip">,
  { required = true }: Needed = {},
): void {
  if (pathOf(program) !== undefined) return;
  if (required && process.env[requireVariable] === "1") {
    throw new Error(`${program} is not installed, and ${requireVariable}=1 requires it`);
  }
  skip(`${program} is not installed`);
}

const known = new Map<string, string | undefined>();

/** The path of a program; undefined if it is not installed. */
export function pathOf(program: string): string | undefined {
  if (known.has(program)) return known.get(program);
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const path = folders.map((folder) => join(folder, program)).find(isExecutable);
  known.set(program, path);
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
