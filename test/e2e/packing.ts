import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { repository } from "./command.ts";

/** The package and its optional dependencies as a registry would hold them. */
export interface Packed {
  readonly tarball: string;
  readonly optional: readonly string[];
  /** Installs tarballs in a folder of its own, without a network and without running anybody's scripts. */
  readonly install: (tarballs: readonly string[], ...flags: string[]) => Promise<string>;
  readonly remove: () => Promise<void>;
}

export async function packAll(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-packed-"));
  const dependencies = await withDependencies("optionalDependencies", repository);
  return {
    tarball: await pack(repository, folder),
    optional: await Promise.all([...dependencies].map((one) => pack(one, folder))),
    install: async (tarballs, ...more) => {
      const where = await mkdtemp(join(folder, "install-"));
      await writeFile(join(where, "package.json"), "{}");
      const flags = ["--ignore-scripts", "--offline", "--no-audit", "--no-fund", "--loglevel=error"];
      await execa("npm", ["install", ...flags, ...more, ...tarballs], { cwd: where });
      return where;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function pack(source: string, folder: string): Promise<string> {
  const where = await mkdtemp(join(folder, "pack-"));
  await execa("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", where], { cwd: source });
  const [packed] = await readdir(where);
  if (packed === undefined) throw new Error(`npm pack made no tarball of ${source}`);
  return join(where, packed);
}

/** Folders of a package's dependencies, and of theirs: what npm would fetch, from what is installed here. */
async function withDependencies(
  kind: "dependencies" | "optionalDependencies",
  source: string,
): Promise<ReadonlySet<string>> {
  const manifest = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  const names = Object.keys({ ...manifest[kind], ...(kind === "dependencies" && manifest.peerDependencies) });
  const direct = names.map((name) => join(repository, "node_modules", name));
  const indirect = await Promise.all(direct.map((one) => withDependencies("dependencies", one)));
  return new Set([...direct, ...indirect.flatMap((set) => [...set])]);
}
