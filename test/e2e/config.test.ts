import { chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHome } from "../support/process.ts";
import { thorough } from "../support/thorough.ts";

const names = Array.from({ length: thorough ? 10 : 5 }, (_, at) => `profile-${at}`);

test("processes that each add a profile at the same time lose no profile", async () => {
  const home = await createHome();
  const added = await Promise.all(names.map((name) => home.run(`profile add ${name} --sandbox -q`)));
  for (const { code, err } of added) expect({ code, err }).toEqual({ code: 0, err: "" });
  const { out } = await home.run("profile list -o id");
  expect(out.split("\n").filter(Boolean).sort()).toEqual(names);
  expect(await readdir(join(home.folder, "config"))).toEqual(["config.json"]);
});

test("processes killed while they write leave the old or the new file, and the next process succeeds", async () => {
  const home = await createHome();
  await home.run("profile add play --sandbox");
  const path = join(home.folder, "config", "config.json");
  const set = (letter: string) => `config set chat.model ${letter.repeat(60_000)}`;
  expect((await home.run(set("a"))).code).toBe(0);
  for (let round = 0; round < (thorough ? 4 : 1); round += 1) {
    const child = home.start(set("b"));
    await new Promise<void>((resolve) => {
      const look = async () => {
        const found = await readdir(join(home.folder, "config"));
        if (found.length > 1 || child.exitCode !== null) resolve();
        else setImmediate(look);
      };
      void look();
    });
    child.kill("SIGKILL");
    await child;
    const { profiles } = JSON.parse(await readFile(path, "utf8"));
    expect(["a", "b"]).toContain(profiles.play.chat.model[0]);
    expect(profiles.play.sandbox).toBe(true);
  }
  expect(await home.run("config set chat.model c")).toMatchObject({ code: 0 });
  expect((await home.run("config get chat.model")).out).toBe("c\n");
  expect(await readdir(join(home.folder, "config"))).toEqual(["config.json"]);
});

test.skipIf(process.platform === "win32").each([{ SNAP: "" }, { SNAP: "/snap/node/1" }])(
  "with %j in the environment, if only part of the file can be written, the old file stays",
  async (env) => {
    const home = await createHome(env);
    await home.run("profile add play --sandbox");
    const path = join(home.folder, "config", "config.json");
    const before = await readFile(path, "utf8");
    const set = `gpuctl config set chat.model ${"x".repeat(20_000)}`;
    // The variable turns off the cache of compiled code. Node.js 22 and later write this cache at exit,
    // and because of `ulimit -f`, this write would kill the process.
    const { code, err } = await home.shell(`ulimit -f 8; NODE_DISABLE_COMPILE_CACHE=1 ${set}`).ended;
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`${path} cannot be written: `) });
    expect(await readFile(path, "utf8")).toBe(before);
    expect(await readdir(join(home.folder, "config"))).toEqual(["config.json"]);
    expect(await home.run("config set chat.model y")).toMatchObject({ code: 0 });
  },
);

describe.skipIf(process.platform === "win32")("apiKeyCommand", () => {
  test("leaves stdin to the shell loop that gpuctl runs in", async () => {
    const home = await createHome();
    await home.run([
      "auth",
      "login",
      "--key-command",
      "cat >&2; echo some-key-0000",
      "--base-url",
      "http://127.0.0.1:9",
    ]);
    await writeFile(join(home.folder, "list"), "first\nsecond\nthird\n");
    const { out } = await home.shell('while read -r id; do echo "$id"; gpuctl auth token; done < list').ended;
    expect(out.match(/first|second|third/g)).toEqual(["first", "second", "third"]);
  });

  test("is run by sh", async () => {
    const home = await createHome();
    await writeFile(join(home.folder, "key"), "key-in-a-file-9999\nmore\n");
    const command = "printf '%s' \"$(head -n 1 < key)\"";
    await home.run(["auth", "login", "--key-command", command, "--base-url", "http://127.0.0.1:9"]);
    expect(await home.run("auth token")).toEqual({ code: 0, out: "key-in-a-file-9999\n", err: "" });
    await home.run(["config", "set", "apiKeyCommand", "echo no such entry >&2; exit 4"]);
    const { code, out, err } = await home.run("auth token");
    expect({ code, out }).toEqual({ code: 3, out: "" });
    expect(err).toContain("no such entry\n");
    expect(err).toContain("exited with status 4");
  });
});

describe.skipIf(process.platform === "win32" || process.geteuid?.() !== 0)("as root", () => {
  test("the configuration of another user is refused", async () => {
    const home = await createHome();
    await mkdir(join(home.folder, "config"), { mode: 0o700 });
    const path = join(home.folder, "config", "config.json");
    await writeFile(path, "{}", { mode: 0o600 });
    await chown(path, 54321, 54321);
    const { code, err } = await home.run("volumes list --sandbox");
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("uid 54321; you are uid 0") });
  });
});

test("gpuctl ignores the files .env and bunfig.toml in the current folder", async () => {
  const { folder, run } = await createHome();
  await writeFile(join(folder, ".env"), "GPUCTL_BASE_URL=https://env.example\n");
  await writeFile(join(folder, "bunfig.toml"), 'preload = ["./preload.js"]\n');
  await writeFile(join(folder, "preload.js"), 'console.log("preloaded");\n');
  const { out } = await run("config list -o json");
  expect(JSON.parse(out)[0]).toMatchObject({ key: "baseUrl", value: null });
});

test.skipIf(["win32", "darwin"].includes(process.platform))(
  "gpuctl ignores XDG variables that are relative paths",
  async () => {
    const { folder, run } = await createHome({
      GPUCTL_CONFIG_DIR: "",
      GPUCTL_STATE_DIR: "",
      XDG_CONFIG_HOME: "xdg",
      XDG_DATA_HOME: "xdg",
      XDG_CACHE_HOME: "xdg",
    });
    await mkdir(join(folder, "xdg", "gpuctl"), { recursive: true, mode: 0o700 });
    const foreign = { version: 1, profile: "p", profiles: { p: { baseUrl: "https://foreign.example" } } };
    await writeFile(join(folder, "xdg", "gpuctl", "config.json"), JSON.stringify(foreign), { mode: 0o600 });
    const { out } = await run("config list -o json");
    expect(JSON.parse(out)[0]).toMatchObject({ key: "baseUrl", value: null });
    expect((await run("rentals list --sandbox")).code).toBe(0);
    expect(await readdir(join(folder, "xdg", "gpuctl"))).toEqual(["config.json"]);
    expect(await readdir(join(folder, ".local", "share", "gpuctl"))).toContain("sandbox.sqlite");
  },
);
