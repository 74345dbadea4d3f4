import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createHome, gpuctl, key } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { sample } from "../support/thorough.ts";
import { serveThirdParty } from "./third-party-server.ts";

/** Root may write everywhere, so gpuctl runs as the user nobody when root runs the tests. */
const isRoot = process.geteuid?.() === 0;
const asNobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] as const;
const command = isRoot ? ([...asNobody, ...gpuctl] as const) : undefined;

/** A home that the user can read but not write. No variables name other folders unless `more` sets them. */
async function readOnlyHome(more: Readonly<Record<string, string>> = {}) {
  const home = await createHome();
  const server = await serveThirdParty({ key });
  onTestFinished(() => server.close());
  onTestFinished(() => chmod(home.folder, 0o755));
  for (const name of ["config", "state", "cache"]) await mkdir(join(home.folder, name), { mode: 0o555 });
  await chmod(home.folder, 0o555);
  const env = {
    HOME: home.folder,
    GPUCTL_CONFIG_DIR: "",
    GPUCTL_STATE_DIR: "",
    XDG_CACHE_HOME: "",
    GPUCTL_API_KEY: key,
    GPUCTL_BASE_URL: server.url,
    ...more,
  };
  const run = (line: string) => home.run(line, { env, ...(command && { command }) });
  return { ...home, run };
}

const places = {
  "a read-only home": {},
  "a home that does not exist": { HOME: `/nonexistent-${process.pid}` },
  "folders that cannot be written": { folders: "own" },
} as const;

describe.skipIf(process.platform === "win32").each(Object.entries(places))("with %s", (name, place) => {
  beforeEach((context) => {
    if (isRoot) skipWithout("setpriv", context);
  });

  async function open() {
    if (!("folders" in place)) return readOnlyHome(place);
    const home = await readOnlyHome();
    const folder = (name: string) => join(home.folder, name);
    return readOnlyHome({
      // This folder does not exist. One that belongs to another user would be refused for another reason.
      GPUCTL_CONFIG_DIR: folder("config/gpuctl"),
      GPUCTL_STATE_DIR: folder("state"),
      XDG_CACHE_HOME: folder("cache"),
    });
  }

  test("reads work, even those whose results gpuctl caches", async () => {
    const { run, folder } = await open();
    expect(await run("rentals list -o id")).toEqual({ code: 0, out: "18026\nbm-7f\n", err: "" });
    const lines = [
      "profile list -o json",
      "config path",
      "api list -o json",
      "sandbox limits --sandbox -o json",
    ];
    for (const line of sample(lines, 2)) {
      expect((await run(line)).code, line).toBe(0);
    }
    expect((await readdir(folder)).sort()).toEqual(["bin", "cache", "config", "state"]);
  });

  const refused: readonly (readonly [string, string, string])[] = [
    ["profile add play --sandbox", "config.json cannot be written", "GPUCTL_CONFIG_DIR"],
    ["rentals list --sandbox", "Cannot use the sandbox's state in ", "GPUCTL_STATE_DIR"],
    ["tts Hoi --out speech.wav", "cannot save", "permission denied"],
  ];
  test.each(sample(refused, Object.keys(places).indexOf(name)))(
    "%s says what cannot be written",
    async (line, problem, remedy) => {
      const { run } = await open();
      const { code, err } = await run(line);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(problem) });
      expect(err).toContain(remedy);
      expect(err).not.toMatch(/bug in gpuctl|^\s+at /m);
    },
  );
});

describe.skipIf(process.platform === "win32")("a batch of another user", () => {
  beforeEach((context) => {
    if (isRoot) skipWithout("setpriv", context);
  });

  async function open() {
    const { folder, run } = await createHome();
    onTestFinished(() => chmod(folder, 0o755));
    await writeFile(join(folder, "prompts.txt"), "Hello");
    const env = { GPUCTL_SANDBOX: "1" };
    const batch = "batch run --prompts prompts.txt --endpoint chat --model none --out out.jsonl";
    expect((await run(batch, { env })).code).toBe(12);
    const nobody = { HOME: folder, GPUCTL_STATE_DIR: join(folder, "none"), ...env };
    const asOther = (line: string) => run(line, { env: nobody, ...(command && { command }) });
    return { folder, batch, asOther };
  }

  test("in a folder that cannot be written is not marked to be sent again", async () => {
    const { folder, asOther } = await open();
    await chmod(folder, 0o555);
    const { code, err } = await asOther("batch retry out.jsonl --failed");
    expect({ code, err }).toEqual({
      code: 2,
      err: `Error: cannot save ${join(folder, "out.jsonl.journal.lock")}: permission denied\n`,
    });
  });

  test("with a journal that cannot be opened or read causes an error that names the journal, and nothing is sent", async () => {
    const { folder, batch, asOther } = await open();
    const journal = join(folder, "out.jsonl.journal");
    await chmod(folder, 0o777);
    await chmod(journal, 0o444);
    for (const line of [batch, "batch retry out.jsonl --failed"]) {
      const { code, err } = await asOther(line);
      expect(code, err).toBe(2);
      expect(err).toContain(`Error: cannot open ${journal}: permission denied\nNothing was sent.\n`);
    }
    await chmod(journal, 0);
    for (const line of ["batch status .", "batch merge out.jsonl --out all.jsonl"]) {
      const { code, err } = await asOther(line);
      expect({ code, err }).toEqual({
        code: 2,
        err: `Error: cannot read ${journal}: permission denied\nNothing was sent.\n`,
      });
    }
  });
});
