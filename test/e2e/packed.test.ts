import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createHome, key, repository } from "./command.ts";
import { serveForeign } from "./foreign-server.ts";

let folder: string;
let tarball: string;
let optional: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gpuctl-packed-"));
  tarball = await pack(repository);
  optional = await Promise.all([...(await withDependencies("optionalDependencies", repository))].map(pack));
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Packs a package as a registry would hold it. */
async function pack(source: string): Promise<string> {
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

/** Installs tarballs in a folder of its own, without a network and without running anybody's scripts. */
async function install(tarballs: readonly string[], ...more: string[]) {
  const where = await mkdtemp(join(folder, "install-"));
  await writeFile(join(where, "package.json"), "{}");
  const flags = ["--ignore-scripts", "--offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await execa("npm", ["install", ...flags, ...more, ...tarballs], { cwd: where });
  const home = await createHome();
  const command = [join(where, "node_modules", ".bin", "gpuctl")] as const;
  return {
    where,
    run: (line: string, env = {}) => home.run(line, { command, env }),
    packages: async () =>
      (await readdir(join(where, "node_modules"))).filter((name) => !name.startsWith(".")).sort(),
  };
}

describe("the package", () => {
  it("works as installed, its sandbox with it", { timeout: 120_000 }, async () => {
    const { run, packages } = await install([tarball, ...optional]);
    expect(await packages()).toContain("gpuctl");
    const { version } = JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
    expect(await run("--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
    const { code, out, err } = await run("--sandbox rentals create vm --gpus 1");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^ID: +\d+\n/);
    expect(await run("rentals list --sandbox -o id")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\n$/),
    });
    expect(await run('tts "Good morning" --sandbox --out speech.wav -q')).toMatchObject({ code: 0, err: "" });
    expect(await run('image "a lighthouse" --sandbox --out picture.png -q')).toMatchObject({
      code: 0,
      err: "",
    });
  });

  it("works without what only the sandbox needs, and says how to get it", { timeout: 120_000 }, async () => {
    const { run, packages } = await install([tarball], "--omit=optional");
    expect(await packages()).toEqual(["gpuctl"]);
    expect((await run("--version")).code).toBe(0);
    expect((await run("--help")).code).toBe(0);
    const server = await serveForeign({ key });
    onTestFinished(() => server.close());
    const account = { GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key };
    expect(await run("rentals list -o id", account)).toEqual({ code: 0, out: "18026\nbm-7f\n", err: "" });
    const { code, out, err } = await run("rentals list --sandbox");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/is not installed.*npm install @photostructure\/sqlite/);
  });
});
