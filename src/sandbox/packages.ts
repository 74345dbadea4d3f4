import { codeOf, reasonOf } from "../core/errors.ts";

/** An optional package that the sandbox needs is not installed or cannot be loaded. */
export class MissingDependency extends Error {
  override readonly name = "MissingDependency";
  readonly packageName: string;
  /** What is wrong with the package: a phrase that follows the package's name. */
  readonly problem: string;

  constructor(packageName: string, cause?: unknown) {
    // The bundler may turn `import()` into `require()`, which fails with another code.
    const isMissing = !cause || ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(codeOf(cause));
    const problem = isMissing ? "is not installed" : `cannot be loaded (${reasonOf(cause)})`;
    super(`The package ${packageName} ${problem}. Install it with: npm install ${packageName}`, { cause });
    this.packageName = packageName;
    this.problem = problem;
  }
}

/**
 * Imports an optional package.
 * @throws MissingDependency if the import fails
 */
export async function importOptional<Module>(
  packageName: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw new MissingDependency(packageName, error);
  }
}
