import { existsSync } from "node:fs";
import { reasonOf } from "../core/errors.ts";
import { locate } from "../core/runtime/packages.ts";
import { importSqlite, MissingDependency, speechPackage, sqlitePackage } from "./packages.ts";
import { schemaVersion } from "./store/schema.ts";
import { StoreError, storeError } from "./store/store.ts";

/**
 * Checks the sandbox's optional packages and its state file without changing the state. If a package or the file cannot
 * be used, its `problem` says why, and for the file, `kind` says what kind of problem it is. The `problem` of a package
 * completes a sentence that begins with the package's name, such as `is not installed`.
 */
export async function health(file: string) {
  const packages = await Promise.all(
    optionalPackages.map(async ({ name, use, load }) => ({
      name,
      use,
      ...(await problemOf(load)),
    })),
  );
  const exists = existsSync(file);
  const usable = packages[0]?.problem === undefined;
  const failure =
    exists && usable ? await checkIntegrity(file).catch((error) => storeError(file, error)) : undefined;
  return { packages, file, exists, problem: failure?.reason, kind: failure?.problem };
}

const optionalPackages: readonly { name: string; use: string; load: () => Promise<unknown> }[] = [
  { name: sqlitePackage, use: "the sandbox", load: importSqlite },
  {
    name: speechPackage,
    use: "speech in the sandbox",
    // The main file of this package is a WebAssembly program, which cannot be imported.
    load: async () => {
      if (locate(speechPackage) === undefined) throw new MissingDependency(speechPackage);
    },
  },
];

async function problemOf(work: () => Promise<unknown>): Promise<{ readonly problem?: string }> {
  try {
    await work();
    return {};
  } catch (error) {
    return { problem: error instanceof MissingDependency ? error.problem : reasonOf(error) };
  }
}

async function checkIntegrity(file: string): Promise<void> {
  const { DatabaseSync } = await importSqlite();
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const [row] = database.prepare("PRAGMA quick_check(1)").all();
    const verdict = Object.values(Object(row))[0];
    if (verdict !== "ok") throw new StoreError(file, `it is damaged: ${verdict}`, "damaged");
    const version = Number(Object.values(Object(database.prepare("PRAGMA user_version").get()))[0]);
    if (version > schemaVersion) {
      throw new StoreError(file, "it was written by a newer version of gpuctl", "newer");
    }
  } finally {
    database.close();
  }
}
