/** An optional package that the sandbox needs for this is not installed, or not for this machine. */
export class MissingDependency extends Error {
  override readonly name = "MissingDependency";
  readonly packageName: string;

  constructor(packageName: string, cause: unknown) {
    const problem = isNotFound(cause) ? "is not installed" : `cannot be loaded (${reason(cause)})`;
    super(`The package ${packageName} ${problem}. Get it with: npm install ${packageName}`, { cause });
    this.packageName = packageName;
  }
}

const isNotFound = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Imports an optional package.
 * @throws MissingDependency when that fails
 */
export async function optional<Module>(packageName: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw new MissingDependency(packageName, error);
  }
}
