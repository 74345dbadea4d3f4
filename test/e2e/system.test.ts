import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, type Environment, firstChunk, gpuctl, launcher } from "../support/process.ts";

describe("without a home folder", () => {
  /** Runs gpuctl as a user for whom Node.js finds no home folder, such as an unknown user ID in a container. */
  async function withoutHome() {
    const { folder, run } = await createHome({ HOME: "", USERPROFILE: "", APPDATA: "", LOCALAPPDATA: "" });
    const script = join(folder, "no-home.cjs");
    await writeFile(script, 'require("node:os").homedir = () => { throw new Error("no home"); };');
    return (line: string, env: Environment = {}) =>
      run(line, { command: [process.execPath, "--require", script, launcher], env });
  }
  const unset = { GPUCTL_CONFIG_DIR: "", GPUCTL_STATE_DIR: "" };

  test.each(["--version", "volumes list --help"])("gpuctl %s works", async (line) => {
    const run = await withoutHome();
    expect(await run(line, unset)).toMatchObject({ code: 0, err: "" });
  });

  test.each([unset, { GPUCTL_STATE_DIR: "" }, { GPUCTL_CONFIG_DIR: "" }])(
    "gpuctl names the variables for the folders in its error, with %j",
    async (env) => {
      const run = await withoutHome();
      const { code, out, err } = await run("rentals list --sandbox", env);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(/^Error: .*home folder.*\n.*GPUCTL_CONFIG_DIR and GPUCTL_STATE_DIR.*\n$/);
    },
  );

  test("gpuctl reads nothing from the current folder if HOME is empty", async () => {
    const { folder, run } = await createHome({ HOME: "", XDG_CONFIG_HOME: "", XDG_DATA_HOME: "" });
    const config = join(folder, ".config", "gpuctl");
    await mkdir(config, { recursive: true });
    const profiles = { default: { baseUrl: "https://evil.example" } };
    await writeFile(join(config, "config.json"), JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
    const { code, err } = await run("config list", { env: unset });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("there is no home folder") });
  });

  test("commands work if both variables are set", async () => {
    const run = await withoutHome();
    expect(await run("rentals list -o json --sandbox")).toEqual({ code: 0, out: "[]\n", err: "" });
  });

  test("a command that does not use the sandbox needs no state folder", async () => {
    const run = await withoutHome();
    const line = "volumes list --dry-run --base-url https://api.example.com";
    expect(await run(line, { GPUCTL_STATE_DIR: "" })).toMatchObject({ code: 0, err: "" });
  });

  test("a rental is reserved without a state folder, and its lease is found in the file of --lease-file", async () => {
    const server = await createHome();
    const serving = server.start("sandbox serve --port 0 --memory -o json");
    const { url, apiKey } = JSON.parse(await firstChunk(serving.stdout));
    const env = { GPUCTL_BASE_URL: url, GPUCTL_API_KEY: apiKey, GPUCTL_STATE_DIR: "" };
    const run = await withoutHome();
    const leases = `--lease-file ${join(server.folder, "leases.jsonl")}`;
    const convert = "reserve convert 1001 --days 30 --expected-price 1296 --yes";
    expect(await run(`rentals create vm --gpus 1 --lease 2h ${leases} --yes`, env)).toMatchObject({
      code: 0,
    });
    expect(await run(`${convert} --dry-run`, env)).toMatchObject({ code: 0 });
    expect(await run(`${convert} ${leases}`, env)).toMatchObject({
      code: 0,
      out: expect.stringContaining("1001"),
      err: expect.stringContaining(`rentals lease clear 1001 ${leases}`),
    });
    expect(await run("reserve extend 1001 --days 30 --expected-price 1296 --yes", env)).toMatchObject({
      code: 0,
      err: "",
    });
    serving.kill("SIGINT");
    await serving;
  });
});

describe.skipIf(process.platform === "win32")("in a deleted folder", () => {
  test("a relative path is an error without a stack trace", async () => {
    const { folder, run } = await createHome();
    await mkdir(join(folder, "gone"));
    const { code, err } = await run('image "a cat" --sandbox --out cat.webp', {
      command: ["sh", "-c", 'cd gone && rmdir ../gone && exec "$@"', "sh", ...gpuctl],
    });
    if (process.env.GPUCTL_TEST_BINARY) {
      // Bun ends before gpuctl starts.
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringMatching(/^error: The current .* deleted/),
      });
    } else {
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringMatching(/^Error: the current folder no longer exists\n/),
      });
    }
    expect(err).not.toMatch(/^ +at /m);
  });
});

describe("the launcher", () => {
  /** Runs a copy of the launcher. It finds `program` instead of gpuctl's build. Without `program`, no build exists. */
  async function runLauncher(program?: string) {
    const { folder, run } = await createHome();
    await mkdir(join(folder, "dist"));
    const copy = join(folder, "bin", "gpuctl.cjs");
    await copyFile(launcher, copy);
    if (program !== undefined) await writeFile(join(folder, "dist", "gpuctl.cjs"), program);
    return run("--version", { command: [process.execPath, copy] });
  }

  test("says what to do when nothing was built", async () => {
    expect(await runLauncher()).toEqual({
      code: 1,
      out: "",
      err: "Error: gpuctl is not built yet: run npm run build\n",
    });
  });

  test.each([
    'exports.start = () => Promise.reject(new Error("it broke"));',
    'exports.start = () => { throw new Error("it broke"); };',
    'throw new Error("it broke");',
  ])("reports a failure by its message alone: %s", async (program) => {
    expect(await runLauncher(program)).toEqual({ code: 1, out: "", err: "Error: it broke\n" });
  });
});
