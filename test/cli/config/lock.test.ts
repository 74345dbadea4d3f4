import { spawnSync } from "node:child_process";
import { mkdir, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processes } from "../../../src/system/files.ts";
import { createCli } from "../../support/cli.ts";
import { reusedProcess } from "../../support/leases.ts";

async function withLock(seconds: number) {
  const cli = await createCli();
  const path = join(cli.folder, "config", "config.json");
  await mkdir(`${path}.lock`, { recursive: true, mode: 0o700 });
  const moment = Date.now() / 1000 + seconds;
  await utimes(`${path}.lock`, moment, moment);
  return { ...cli, path };
}

test("a write takes over the lock of a killed process and leaves no lock file behind", async () => {
  const { run, folder } = await withLock(-3600);
  expect(await run("profile add play --sandbox")).toMatchObject({ code: 0 });
  expect(await readdir(join(folder, "config"))).toEqual(["config.json"]);
});

test("a write takes over the lock of a process that has just ended", async () => {
  // The lock's last renewal is in the future, so that it never counts as too old.
  const { run, folder, path } = await withLock(3600);
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const owner = {
    name: processes.self.replace(/\d+(?=@|$)/, String(pid)),
    born: (await stat(`${path}.lock`)).birthtimeMs,
  };
  await writeFile(`${path}.lock-owner`, JSON.stringify(owner));
  expect(await run("profile add play --sandbox")).toMatchObject({ code: 0 });
  expect(await readdir(join(folder, "config"))).toEqual(["config.json"]);
});

test.runIf(process.platform === "linux")(
  "a write takes over the lock of a killed process whose process ID now belongs to another process",
  async () => {
    const { run, path } = await withLock(3600);
    const owner = {
      name: reusedProcess,
      born: (await stat(`${path}.lock`)).birthtimeMs,
    };
    await writeFile(`${path}.lock-owner`, JSON.stringify(owner));
    expect(await run("profile add play --sandbox")).toMatchObject({ code: 0 });
  },
);

test("a write that fails releases the lock", async () => {
  const { run, folder } = await createCli();
  expect(await run("profile add -- -x")).toMatchObject({ code: 2 });
  expect(await run("profile add ok --sandbox")).toMatchObject({ code: 0 });
  expect(await readdir(join(folder, "config"))).toEqual(["config.json"]);
});

test("the next write deletes the temporary file of a killed process", async () => {
  const { run, folder } = await createCli();
  await run("profile add play --sandbox");
  await writeFile(join(folder, "config", "config.json.tmp-1234567890abcdef"), '{"profiles":');
  await run("config set image.model SD2");
  expect(await readdir(join(folder, "config"))).toEqual(["config.json"]);
});
