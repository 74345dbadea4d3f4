import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import * as module from "node:module";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createHome as createAnyHome,
  dist,
  type Environment,
  type Home,
  launcher,
  runProgram,
} from "../support/process.ts";
import { sample } from "../support/thorough.ts";

/** Where Node.js has a compile cache, gpuctl uses that cache instead of its own. */
const nodeHasCache = "enableCompileCache" in module;
const isPosix = process.platform !== "win32";

/** A home with its own folder for compiled code. */
const createHome = (env: Environment = {}) => createAnyHome({ XDG_CACHE_HOME: "", ...env });

/** A command that loads files of the build that `--help` and `--version` do not load. */
const line = "rentals list -o json --sandbox";
const cacheOf = ({ folder }: Home) => join(folder, ".cache", "gpuctl");

/** Every cached file and the hash of its content. */
async function cachedFiles(home: Home) {
  const place = join(cacheOf(home), `code-${process.version}-${process.arch}`);
  const names = await readdir(place).catch(() => []);
  return Promise.all(
    names.map(async (name) => {
      const file = join(place, name);
      return {
        file,
        hash: createHash("sha256")
          .update(await readFile(file))
          .digest("hex"),
      };
    }),
  );
}

/** A home with cached code, the output of the run that cached it, and the cached files. */
async function usedHome() {
  const home = await createHome();
  const first = await home.run(line);
  expect(first).toMatchObject({ code: 0, err: "" });
  return { home, first, files: await cachedFiles(home) };
}

/**
 * Compiles a script and writes it to a cache file as gpuctl does. Uses a new process, because V8 rejects code that was
 * compiled with other flags.
 */
async function plant(script: string, file: string): Promise<void> {
  const program = `
    const { readFileSync, writeFileSync } = require("node:fs");
    const { crc32 } = require("node:zlib");
    const code = new (require("node:vm").Script)(readFileSync(0, "utf8")).createCachedData();
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(code));
    writeFileSync(process.argv[1], Buffer.concat([code, checksum]));`;
  const { code } = await runProgram(process.execPath, ["-e", program, file], { input: script });
  expect(code).toBe(0);
}

describe.skipIf(nodeHasCache)("compiled code", () => {
  test("is cached by the first run in a private folder, and not changed by the next", async () => {
    const { home, first, files } = await usedHome();
    const names = files.map(({ file }) => basename(file)).join();
    expect(names).toMatch(/start-[\w-]+\.cjs/);
    // Node.js itself loads these files before the cache works, so the cache neither compiles nor stores them.
    expect(names).not.toMatch(/gpuctl|code-cache|rolldown-runtime/);
    expect(await home.run(line)).toEqual(first);
    expect(await cachedFiles(home)).toEqual(files);
  });

  test("never calls import(), because cached code cannot call it", async () => {
    for (const name of (await readdir(dist)).filter((one) => one.endsWith(".cjs"))) {
      expect([name, /\bimport\(/.test(await readFile(join(dist, name), "utf8"))]).toEqual([name, false]);
    }
  });

  test("of a command that changes V8's flags is not compiled again", async () => {
    const home = await createHome();
    const run = async () => {
      expect(await home.run("image cat --dry-run --sandbox")).toMatchObject({ code: 0 });
      return Promise.all((await cachedFiles(home)).map(async ({ file }) => [file, (await stat(file)).ino]));
    };
    const written = await run();
    expect(written.join()).toContain("arriving-");
    expect(await run()).toEqual(written);
  });

  test.each(sample(["--version", "--help", "rentals list --help"], 2))(
    "is not cached for %s",
    async (short) => {
      const home = await createHome();
      await home.run(short);
      expect(await cachedFiles(home)).toEqual([]);
    },
  );

  /** Expects that a run prints the same output and replaces every broken file, and that another run changes nothing. */
  async function expectReplaced({ home, first }: Awaited<ReturnType<typeof usedHome>>) {
    const broken = await cachedFiles(home);
    expect(await home.run(line)).toEqual(first);
    const replaced = await cachedFiles(home);
    for (const file of broken) expect(replaced).not.toContainEqual(file);
    expect(await home.run(line)).toEqual(first);
    expect(await cachedFiles(home)).toEqual(replaced);
  }

  test.each(sample([0, 0.01, 0.5, 1], 2))(
    "is compiled again if its cache file was altered at %d of its length",
    async (part) => {
      const used = await usedHome();
      for (const { file } of used.files) {
        const bytes = await readFile(file);
        const at = Math.floor(part * (bytes.length - 1));
        bytes[at] = (bytes[at] ?? 0) ^ 0x55;
        await writeFile(file, bytes);
      }
      await expectReplaced(used);
    },
  );

  test.each(sample([0, 3, 500], 1))(
    "is compiled again if its cache file was truncated to %d bytes",
    async (length) => {
      const used = await usedHome();
      for (const { file } of used.files) await truncate(file, length);
      await expectReplaced(used);
    },
  );

  test("is not cached with NODE_DISABLE_COMPILE_CACHE", async () => {
    const home = await createHome({ NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(await home.run(line)).toMatchObject({ code: 0, err: "" });
    expect(await cachedFiles(home)).toEqual([]);
  });

  test("need not be cached: a command succeeds without a cache folder", async () => {
    const home = await createHome();
    await writeFile(join(home.folder, ".cache"), "a file");
    expect(await home.run(line)).toMatchObject({ code: 0, err: "" });
  });

  test.runIf(isPosix)("is not cached in a folder that others can write to", async () => {
    const home = await createHome();
    await mkdir(cacheOf(home), { recursive: true });
    await chmod(cacheOf(home), 0o777);
    expect(await home.run(line)).toMatchObject({ code: 0, err: "" });
    expect(await cachedFiles(home)).toEqual([]);
  });

  test.runIf(isPosix)("is not run if others could have written it", async () => {
    const { home, first, files } = await usedHome();
    const { file = "" } = files.find((one) => /start-[\w-]+\.cjs$/.test(one.file)) ?? {};
    const source = module.wrap(await readFile(join(dist, basename(file)), "utf8"));
    // V8 compares only the length of the source.
    const planted = module.wrap('process.stdout.write("planted");process.exit(0)').padEnd(source.length);
    await plant(planted, file);
    expect((await home.run(line)).out).toBe("planted");
    for (const [folder, usual] of [
      [cacheOf(home), 0o700],
      [dirname(file), 0o700],
    ] as const) {
      await chmod(folder, 0o770);
      expect(await home.run(line)).toEqual(first);
      await chmod(folder, usual);
    }
  });
});

describe.runIf(isPosix)("the folder of Node's own compile cache", () => {
  /** Runs the launcher with a fake compile cache, which prints the folder that it is given. Returns that output. */
  async function folderGiven(prepare: (folder: string) => Promise<unknown> = async () => {}) {
    const home = await createHome();
    await prepare(cacheOf(home));
    const preload = join(home.folder, "preload.cjs");
    await writeFile(
      preload,
      'require("node:module").enableCompileCache = (folder) => console.error("cache:", folder);',
    );
    const env = { HOME: home.folder, PATH: process.env.PATH ?? "" };
    const { code, err } = await runProgram(process.execPath, ["-r", preload, launcher, "--version"], { env });
    expect(code).toBe(0);
    return { home, err };
  }

  test("is created for the user alone", async () => {
    const { home, err } = await folderGiven();
    expect(err).toBe(`cache: ${cacheOf(home)}\n`);
    expect((await stat(cacheOf(home))).mode & 0o777).toBe(0o700);
  });

  const unusable: readonly (readonly [string, (folder: string) => Promise<unknown>])[] = [
    [
      "others can write to it",
      (folder) => mkdir(folder, { recursive: true }).then(() => chmod(folder, 0o777)),
    ],
    [
      "its group can write to it",
      (folder) => mkdir(folder, { recursive: true }).then(() => chmod(folder, 0o770)),
    ],
    ["it is a link", (folder) => mkdir(dirname(folder)).then(() => symlink("/tmp", folder))],
    ["it is a file", (folder) => mkdir(dirname(folder)).then(() => writeFile(folder, ""))],
  ];
  test.each(sample(unusable, 1, 2))("is not used if %s", async (_why, prepare) => {
    expect((await folderGiven(prepare)).err).toBe("");
  });
});
