import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { repository, runProgram } from "./process.ts";

test("a test whose snapshot is missing fails, and the snapshot is not written", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-snapshots-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const modules = join(repository, "node_modules");
  await mkdir(join(folder, "test"));
  await symlink(modules, join(folder, "node_modules"), "junction");
  await writeFile(
    join(folder, "test/new.test.ts"),
    'import { expect, test } from "vitest";\ntest("new", () => expect(1).toMatchSnapshot());\n',
  );
  const config = join(repository, "vitest.config.ts");
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  const { code, out, err } = await runProgram(
    process.execPath,
    [join(modules, "vitest/vitest.mjs"), "run", "--config", config, "--root", folder],
    { cwd: folder, env },
  );
  expect(code, out + err).toBe(1);
  expect(out + err).toContain("1 failed");
  expect(await readdir(join(folder, "test"))).toEqual(["new.test.ts"]);
});
