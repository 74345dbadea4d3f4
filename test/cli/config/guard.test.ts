import { chmod, lstat, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { type Cli, createCli } from "../../support/cli.ts";
import { key, serviceUrl } from "../../support/service.ts";

const text = JSON.stringify({ profile: "work", profiles: { work: { baseUrl: serviceUrl, apiKey: key } } });

async function withConfig(mode = 0o600) {
  const cli = await createCli({ respond: () => Response.json([]) });
  const path = join(cli.folder, "config", "config.json");
  await mkdir(join(cli.folder, "config"), { mode: 0o700 });
  await writeFile(path, text);
  await chmod(path, mode);
  return { ...cli, path };
}

const lines = ["volumes list", "config set image.model SD2", "auth logout", "profile use work"];
const posix = describe.skipIf(process.platform === "win32");

posix("a configuration that belongs to another user", () => {
  test.each(lines)("is rejected and not changed: %s", async (line) => {
    const { run, path } = await withConfig();
    const { code, out, err, requests } = await run(line, { user: 54321 });
    expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
    expect(err).toMatch(/belongs to another user \(uid \d+; you are uid 54321\)/);
    expect(err).toContain(`chown 54321 ${join(path, "..")}`);
    expect(await readFile(path, "utf8")).toBe(text);
  });
});

posix("a configuration folder that belongs to another user", () => {
  test("is not written to", async () => {
    const cli = await createCli();
    await mkdir(join(cli.folder, "config"), { mode: 0o755 });
    const { code, err } = await cli.run("profile add play --sandbox", { user: 54321 });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("another user") });
    expect((await stat(join(cli.folder, "config"))).mode & 0o777).toBe(0o755);
  });
});

posix("a configuration that others can change", () => {
  test.each(["620", "602", "666"])(
    "is rejected with mode %s, and the error says how to fix it",
    async (octal) => {
      const mode = Number.parseInt(octal, 8);
      const { run, path } = await withConfig(mode);
      const { code, err, requests } = await run("volumes list");
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(err).toContain(`${path} is writable by other users (mode ${octal})`);
      expect(err).toContain(`chmod go-w ${path}`);
      expect((await stat(path)).mode & 0o777).toBe(mode);
    },
  );

  test("is also rejected if others can change only its folder", async () => {
    const { run, path } = await withConfig();
    await chmod(join(path, ".."), 0o777);
    expect(await run("volumes list")).toMatchObject({ code: 2, requests: [] });
  });
});

posix("a configuration that others can read", () => {
  const expected = (cli: Cli & { path: string }, mode: number) =>
    `Warning: ${cli.path} holds a key and can be read by other users (mode ${mode.toString(8)}). Run \`chmod 600 ${cli.path}\` to fix this.\n`;

  test.each(["644", "640", "604"])(
    "is used with mode %s, with one warning unless --quiet is given",
    async (octal) => {
      const mode = Number.parseInt(octal, 8);
      const cli = await withConfig(mode);
      const { code, err } = await cli.run("volumes list");
      expect(code).toBe(0);
      expect(err.split("\n").filter((line) => line.startsWith("Warning"))).toEqual([
        expected(cli, mode).trimEnd(),
      ]);
      expect((await cli.run("volumes list -q")).err).toBe("");
    },
  );

  test("causes no warning if it holds no key", async () => {
    const cli = await createCli();
    await mkdir(join(cli.folder, "config"), { mode: 0o700 });
    const path = join(cli.folder, "config", "config.json");
    await writeFile(path, '{"profiles": {"default": {"sandbox": true}}}', { mode: 0o644 });
    expect(await cli.run("volumes list -o json")).toMatchObject({ code: 0, err: "" });
  });

  test("becomes private (0600) when it is written", async () => {
    const { run, path } = await withConfig(0o644);
    await run("config set image.model SD2");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

posix("a configuration that is a symbolic link", () => {
  test("stays a link, and a change is written to its target", async () => {
    const cli = await createCli();
    const dotfiles = join(cli.folder, "dotfiles.json");
    await writeFile(dotfiles, text, { mode: 0o600 });
    await mkdir(join(cli.folder, "config"), { mode: 0o700 });
    const link = join(cli.folder, "config", "config.json");
    await symlink(dotfiles, link);
    expect(await cli.run("config set image.model SD2")).toMatchObject({ code: 0 });
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(dotfiles, "utf8"))).toMatchObject({
      profiles: { work: { apiKey: key, image: { model: "SD2" } } },
    });
  });
});

posix("a configuration that is not a regular file", () => {
  test("is not replaced if it is a symbolic link to a missing file", async () => {
    const cli = await createCli();
    await mkdir(join(cli.folder, "config"), { mode: 0o700 });
    const link = join(cli.folder, "config", "config.json");
    await symlink(join(cli.folder, "unmounted", "dotfiles.json"), link);
    for (const line of ["config set image.model SD2", "profile add play --sandbox"]) {
      const { code, err } = await cli.run(line);
      expect(code).toBe(2);
      expect(err).toContain(
        `${link} is a symbolic link to ${join(cli.folder, "unmounted", "dotfiles.json")}`,
      );
    }
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect((await cli.run("volumes list --sandbox")).code).toBe(0);
  });

  test.each([
    ["a pipe", (path: string) => execa("mkfifo", ["-m", "600", path])],
    ["a folder", (path: string) => mkdir(path, { mode: 0o700 })],
  ])("is refused at once: %s", async (_name, make) => {
    const cli = await createCli();
    await mkdir(join(cli.folder, "config"), { mode: 0o700 });
    const path = join(cli.folder, "config", "config.json");
    await make(path);
    for (const line of ["volumes list --sandbox", "config set image.model SD2"]) {
      const { code, err } = await cli.run(line);
      expect(code).toBe(2);
      expect(err).toContain(
        `Error: ${path} is not a regular file\ngpuctl keeps its configuration at this path. Rename or remove what is there.\n`,
      );
    }
  });
});

test("a byte order mark before a configuration is ignored", async () => {
  const { run, folder } = await createCli();
  await mkdir(join(folder, "config"), { mode: 0o700 });
  await writeFile(join(folder, "config", "config.json"), `\ufeff${text}`, { mode: 0o600 });
  expect(await run("config get baseUrl")).toMatchObject({ code: 0, out: `${serviceUrl}\n` });
  expect(await run("config set image.model SD2")).toMatchObject({ code: 0 });
  expect(await run("config get baseUrl")).toMatchObject({ code: 0, out: `${serviceUrl}\n` });
});

test.each(["", " \n"])(
  "an empty configuration (%j) counts as a missing one and can be written",
  async (content) => {
    const { run, folder } = await createCli();
    await mkdir(join(folder, "config"), { mode: 0o700 });
    await writeFile(join(folder, "config", "config.json"), content, { mode: 0o600 });
    expect(await run("config set image.model SD2")).toMatchObject({ code: 0 });
    expect((await run("config get image.model")).out).toBe("SD2\n");
  },
);

test.each([
  ["x{", "is not valid JSON"],
  ["[]", "must be a JSON object"],
  ["7", "must be a JSON object"],
  [
    '{"profiles":{"a":{"retries":3}}}',
    "is not a valid gpuctl configuration: profiles.a.retries must be a string, not a number",
  ],
  [
    '{"profiles":{"a":[]}}',
    "is not a valid gpuctl configuration: profiles.a must be an object, not an array",
  ],
  [
    '{"profiles":{"a":{"apiKey":12345678}}}',
    "is not a valid gpuctl configuration: profiles.a.apiKey must be a string, not a number",
  ],
])("the configuration %s is refused, and the error says what is wrong with it", async (text, problem) => {
  const { run, folder } = await createCli();
  await mkdir(join(folder, "config"), { mode: 0o700 });
  const path = join(folder, "config", "config.json");
  await writeFile(path, text, { mode: 0o600 });
  const { code, err } = await run("volumes list --sandbox");
  expect({ code, err }).toEqual({
    code: 2,
    err: `Error: ${path} ${problem}\nFix the file, or move it away. It was not changed.\n`,
  });
});
