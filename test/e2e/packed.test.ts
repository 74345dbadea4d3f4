import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createHome, key, repository } from "./command.ts";
import { serveForeign } from "./foreign-server.ts";
import { type Packed, packAll } from "./packing.ts";

let packed: Packed;

beforeAll(async () => {
  packed = await packAll();
}, 120_000);
afterAll(() => packed?.remove());

/** The installed command in a home of its own. */
async function install(tarballs: readonly string[], ...flags: string[]) {
  const where = await packed.install(tarballs, ...flags);
  const home = await createHome();
  const command = [join(where, "node_modules", ".bin", "gpuctl")] as const;
  return {
    run: (line: string, env = {}) => home.run(line, { command, env }),
    packages: async () =>
      (await readdir(join(where, "node_modules"))).filter((name) => !name.startsWith(".")).sort(),
  };
}

describe("the package", () => {
  it("works as installed, its sandbox with it", { timeout: 120_000 }, async () => {
    const { run, packages } = await install([packed.tarball, ...packed.optional]);
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
    const { run, packages } = await install([packed.tarball], "--omit=optional");
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
