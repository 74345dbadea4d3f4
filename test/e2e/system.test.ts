import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, type Environment, launcher } from "../support/process.ts";

describe("without a home folder", () => {
  /** As for a user number that the system does not know. */
  async function homeless() {
    const { folder, run } = await createHome({ HOME: "", USERPROFILE: "", APPDATA: "", LOCALAPPDATA: "" });
    const script = join(folder, "homeless.cjs");
    await writeFile(script, 'require("node:os").homedir = () => { throw new Error("no home"); };');
    return (line: string, env: Environment = {}) =>
      run(line, { command: [process.execPath, "--require", script, launcher], env });
  }
  const unnamed = { GPUCTL_CONFIG_DIR: "", GPUCTL_STATE_DIR: "" };

  it.each(["--version", "volumes list --help"])("gpuctl %s works", async (line) => {
    const run = await homeless();
    expect(await run(line, unnamed)).toMatchObject({ code: 0, err: "" });
  });

  it.each([unnamed, { GPUCTL_STATE_DIR: "" }, { GPUCTL_CONFIG_DIR: "" }])(
    "with %j the error names the variables for the folders",
    async (env) => {
      const run = await homeless();
      const { code, out, err } = await run("rentals list --sandbox", env);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(/^Error: .*home folder.*\n.*GPUCTL_CONFIG_DIR and GPUCTL_STATE_DIR.*\n$/);
    },
  );

  it("with both folders named everything works", async () => {
    const run = await homeless();
    expect(await run("rentals list -o json --sandbox")).toEqual({ code: 0, out: "[]\n", err: "" });
  });

  it("no folder of the sandbox is needed by a command that has no use for one", async () => {
    const run = await homeless();
    const line = "volumes list --dry-run --base-url https://api.example.com";
    expect(await run(line, { GPUCTL_STATE_DIR: "" })).toMatchObject({ code: 0, err: "" });
  });
});

describe.skipIf(process.platform === "win32")("in a folder that is gone", () => {
  it("a path from there is an error without a stack", async () => {
    const { folder, run } = await createHome();
    await mkdir(join(folder, "gone"));
    const { code, err } = await run('image "a cat" --sandbox --out cat.webp', {
      command: ["sh", "-c", 'cd gone && rmdir ../gone && exec "$@"', "sh", process.execPath, launcher],
    });
    expect(code).toBe(2);
    expect(err).toMatch(/^Error: the current folder no longer exists\n/);
    expect(err).not.toMatch(/^ +at /m);
  });
});

describe("the launcher", () => {
  /** A launcher of its own, beside whatever was built for it. */
  async function launched(program?: string) {
    const { folder, run } = await createHome();
    await mkdir(join(folder, "dist"));
    const copy = join(folder, "bin", "gpuctl.cjs");
    await copyFile(launcher, copy);
    if (program !== undefined) await writeFile(join(folder, "dist", "gpuctl.cjs"), program);
    return run("--version", { command: [process.execPath, copy] });
  }

  it("says what to do when nothing was built", async () => {
    expect(await launched()).toEqual({
      code: 1,
      out: "",
      err: "Error: gpuctl is not built yet: run npm run build\n",
    });
  });

  it.each([
    'exports.start = () => Promise.reject(new Error("it broke"));',
    'exports.start = () => { throw new Error("it broke"); };',
    'throw new Error("it broke");',
  ])("reports a failure by its message alone: %s", async (program) => {
    expect(await launched(program)).toEqual({ code: 1, out: "", err: "Error: it broke\n" });
  });
});
