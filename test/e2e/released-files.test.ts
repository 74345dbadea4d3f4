import { chmod, copyFile, mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, test } from "vitest";
import { createHome, type Home, repository } from "../support/process.ts";
import { sample } from "../support/thorough.ts";

const fixtures = join(repository, "test", "fixtures");
const folders = await readdir(fixtures, { withFileTypes: true });
const releases = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);

/** A home with a copy of the files of a release. */
async function homeOf(release: string) {
  const home = await createHome();
  const paths = {
    config: join(home.folder, "config", "config.json"),
    state: join(home.folder, "state", "sandbox.sqlite"),
  };
  for (const [path, name] of [
    [paths.config, "config.json"],
    [paths.state, "sandbox.sqlite"],
  ] as const) {
    await mkdir(join(path, ".."), { mode: 0o700 });
    await copyFile(join(fixtures, release, name), path);
    await chmod(path, 0o600);
  }
  return { ...home, paths };
}

describe.each(releases)("the files of %s", (release) => {
  test("are read, and changed without losing anything", async () => {
    const { run, paths } = await homeOf(release);
    expect((await run("rentals list --profile play -o json --jq .[].label")).out).toBe("kept\n");
    expect((await run("volumes list --profile play -o json --jq .[].label")).out).toBe("kept\n");
    expect(await run("auth token")).toMatchObject({ code: 0, out: "sk-fixture-0123456789\n" });
    expect(await run("config set image.model SDXL-turbo")).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(paths.config, "utf8"))).toEqual({
      version: 1,
      profile: "work",
      profiles: {
        play: { sandbox: true },
        work: {
          baseUrl: "https://gpu.example",
          image: { model: "SDXL-turbo" },
          apiKey: "sk-fixture-0123456789",
        },
      },
    });
  });
});

test("a configuration of a newer version is refused and not changed", async () => {
  const { run, paths } = await homeOf("0.1.0");
  const newer = '{"version": 2, "profiles": []}';
  await writeFile(paths.config, newer);
  const lines = ["rentals list", "config set image.model SD1.5", "profile add more --sandbox"];
  for (const line of sample(lines, 0, 1)) {
    const { code, out, err } = await run(line);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("was written by a newer version of gpuctl (format 2; this version reads up to 1)");
    expect(err).toContain("Update gpuctl");
  }
  expect(await readFile(paths.config, "utf8")).toBe(newer);
});

const unusable: Readonly<Record<string, (file: string) => unknown>> = {
  "that is not a database": (file) => writeFile(file, "Dear reader, ".repeat(500)),
  "that was truncated": (file) => truncate(file, 16_384),
  "of a newer version": (file) => {
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 99");
    database.close();
  },
};

// A sample is enough: other tests open such files without starting a process.
describe.each(sample(Object.entries(unusable), 1))("a state file %s", (_name, damage) => {
  const backups = async ({ folder }: Home) =>
    (await readdir(join(folder, "state"))).filter((name) => /\.backup(-\d+)?$/.test(name));

  test("is moved aside by a reset, which the error suggests", async () => {
    const home = await homeOf("0.1.0");
    const { run, paths } = home;
    await damage(paths.state);
    const before = await readFile(paths.state);
    const refused = await run("rentals list --profile play");
    expect({ ...refused, err: "" }).toEqual({ code: 2, out: "", err: "" });
    expect(refused.err).toContain(
      "`gpuctl sandbox reset --profile play` to move the file aside and start with a new one",
    );
    expect(await backups(home)).toEqual([]);
    const reset = await run("sandbox reset --yes -o json");
    expect(JSON.parse(reset.out)).toMatchObject({ rentals: { active: 0 } });
    expect(reset.err).toContain(
      `The sandbox's state could not be used. It was moved to ${paths.state}.backup.`,
    );
    expect(await backups(home)).toEqual(["sandbox.sqlite.backup"]);
    expect((await readFile(`${paths.state}.backup`)).equals(before)).toBe(true);
    expect(await run("rentals list --profile play -o json")).toMatchObject({ code: 0, out: "[]\n" });
    await damage(paths.state);
    await run("sandbox reset --yes -q");
    expect(await backups(home)).toEqual(["sandbox.sqlite.backup", "sandbox.sqlite.backup-2"]);
  });
});
