import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repository, runProgram } from "../support/process.ts";

/** The packed package. */
export interface Packed {
  readonly tarball: string;
  /** Installs it in a folder of its own, without a network and without running scripts. */
  readonly install: (options: { readonly optional: boolean }) => Promise<string>;
  readonly remove: () => Promise<void>;
}

export async function packAll(): Promise<Packed> {
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
      if (optional) for (const name of await optionalPackages()) await borrow(name, where);
      return where;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Gives a folder a package that is installed in the repository, as if it were installed there. */
export async function borrow(name: string, folder: string): Promise<string> {
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

/** The names of the optional dependencies, their peers among them. */
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
