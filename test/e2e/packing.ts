import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository, runProgram } from "../support/process.ts";

/** The package and its optional dependencies as a registry would hold them. */
export interface Packed {
  readonly tarball: string;
  readonly optional: readonly string[];
  /** Installs tarballs in a folder of its own, without a network and without running their scripts. */
  readonly install: (tarballs: readonly string[], ...flags: string[]) => Promise<string>;
  readonly remove: () => Promise<void>;
}

export async function packAll(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-packed-"));
  const [tarball = "", ...optional] = await pack(
    [repository, ...(await withDependencies("optionalDependencies", repository))],
    folder,
  );
  return {
    tarball,
    optional,
    install: async (tarballs, ...more) => {
      const where = await mkdtemp(join(folder, "install-"));
      await writeFile(join(where, "package.json"), "{}");
      const flags = ["--ignore-scripts", "--offline", "--no-audit", "--no-fund", "--loglevel=error"];
      await npm(["install", ...flags, ...more, ...tarballs], where);
      return where;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Packs folders of packages, all in one process, and gives their tarballs in the same order. */
async function pack(sources: readonly string[], folder: string): Promise<readonly string[]> {
  const paths = await Promise.all(sources.map((source) => realpath(source)));
  const out = await npm(
    ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder, ...paths],
    folder,
  );
  return out
    .trim()
    .split("\n")
    .map((name) => join(folder, name));
}

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const { code, out, err } = await runProgram("npm", args, { cwd });
  if (code !== 0) throw new Error(`npm ${args[0]} failed: ${err}`);
  return out;
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
