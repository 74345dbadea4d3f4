import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repository, runProgram } from "../support/process.ts";

/** The tarball of the package, as `npm pack` creates it. */
export interface Packed {
  readonly tarball: string;
  /**
   * Installs the package in a new folder, without a network and without running scripts. Returns the folder. With
   * `optional`, also links the optional dependencies.
   */
  readonly install: (options: { readonly optional: boolean }) => Promise<string>;
  readonly remove: () => Promise<void>;
}

export async function packPackage(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-packed-"));
  const packed = await npm(
    ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder, repository],
    folder,
  );
  const tarball = join(folder, packed.trim());
  return {
    tarball,
    install: async ({ optional }) => {
      const where = await mkdtemp(join(folder, "install-"));
      await writeFile(join(where, "package.json"), "{}");
      const flags = ["--ignore-scripts", "--offline", "--no-audit", "--no-fund", "--loglevel=error"];
      await npm(["install", ...flags, "--omit=optional", tarball], where);
      if (optional) for (const name of await optionalPackages()) await linkPackage(name, where);
      return where;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Links a package from the repository's `node_modules` into a folder, and returns the package's own folder. */
export async function linkPackage(name: string, folder: string): Promise<string> {
  const target = join(repository, "node_modules", name);
  const link = join(folder, "node_modules", name);
  await mkdir(dirname(link), { recursive: true });
  await symlink(target, link, "junction").catch(() => {});
  return target;
}

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const { code, out, err } = await runProgram("npm", args, { cwd });
  if (code !== 0) throw new Error(`npm ${args[0]} failed: ${err}`);
  return out;
}

/** The names of the optional dependencies and of their peer dependencies. */
async function optionalPackages(): Promise<readonly string[]> {
  const { optionalDependencies } = await manifestOf(repository);
  const direct = Object.keys(optionalDependencies ?? {});
  const manifests = await Promise.all(
    direct.map((name) => manifestOf(join(repository, "node_modules", name))),
  );
  return [...direct, ...manifests.flatMap(({ peerDependencies }) => Object.keys(peerDependencies ?? {}))];
}

const manifestOf = async (folder: string): Promise<Record<string, Record<string, string> | undefined>> =>
  JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
