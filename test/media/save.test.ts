import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { SaveFailed } from "../../src/core/errors.ts";
import { assertWritable, type Disk } from "../../src/media/folders.ts";
import { save } from "../../src/media/save.ts";
import { thorough } from "../support/thorough.ts";
import { scratchFolder } from "./scratch.ts";

const bytes = (text: string) => Buffer.from(text);
const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
const noHardLinks: Disk = { ...fs, link: failing("EPERM") };

/** A disk on which one method of every open file fails with this code. */
function disk(call: "writeFile" | "sync", code: string): Disk {
  return {
    ...fs,
    open: async (...args: Parameters<typeof fs.open>) =>
      Object.assign(await fs.open(...args), { [call]: failing(code) }),
  };
}

async function contents(folder: string): Promise<Record<string, string>> {
  const names = (await fs.readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await fs.readFile(join(folder, name), "utf8")] as const),
    ),
  );
}

async function failure(attempt: Promise<unknown>): Promise<SaveFailed> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SaveFailed)) throw new Error(`expected SaveFailed, got ${String(error)}`);
  return error;
}

describe.each<[string, Disk]>([
  ["a disk with hard links", fs],
  ["a disk without hard links", noHardLinks],
])("on %s", (_, on) => {
  test("a file is saved under its name, and no other file is created", async () => {
    const folder = await scratchFolder();
    expect(await save(join(folder, "cat.png"), bytes("one"), {}, on)).toBe(join(folder, "cat.png"));
    expect(await contents(folder)).toEqual({ "cat.png": "one" });
  });

  test("an existing file is not replaced: the next free number is used", async () => {
    const folder = await scratchFolder();
    const used = [];
    for (const text of ["one", "two", "three"]) {
      used.push(await save(join(folder, "cat.png"), bytes(text), {}, on));
    }
    expect(used).toEqual(["cat.png", "cat-2.png", "cat-3.png"].map((name) => join(folder, name)));
    expect(await contents(folder)).toEqual({ "cat.png": "one", "cat-2.png": "two", "cat-3.png": "three" });
  });

  test("an existing file is replaced with --force", async () => {
    const folder = await scratchFolder();
    await save(join(folder, "cat.png"), bytes("one"), {}, on);
    expect(await save(join(folder, "cat.png"), bytes("two"), { force: true }, on)).toBe(
      join(folder, "cat.png"),
    );
    expect(await contents(folder)).toEqual({ "cat.png": "two" });
  });

  test("forty concurrent saves under one name lose nothing", async () => {
    const folder = await scratchFolder();
    const texts = Array.from({ length: 40 }, (_, index) => `picture ${index}`);
    const used = await Promise.all(texts.map((text) => save(join(folder, "cat.png"), bytes(text), {}, on)));
    expect(new Set(used).size).toBe(40);
    expect(Object.values(await contents(folder)).sort()).toEqual(texts.sort());
  });

  test.each([
    ["the disk is full", "writeFile", "ENOSPC", "no space left on the disk"],
    ["the disk fills up at the flush", "sync", "EDQUOT", "the disk quota is used up"],
  ] as const)("when %s, the error is reported and no file is left", async (_, call, code, reason) => {
    const folder = await scratchFolder();
    const path = join(folder, "cat.png");
    const error = await failure(save(path, bytes("one"), {}, { ...on, open: disk(call, code).open }));
    expect(error).toMatchObject({ name: "SaveFailed", path, reason });
    expect(await contents(folder)).toEqual({});
  });
});

test("when the final rename fails, neither an empty nor a temporary file is left", async () => {
  const folder = await scratchFolder();
  const path = join(folder, "cat.png");
  const error = await failure(save(path, bytes("one"), {}, { ...noHardLinks, rename: failing("EIO") }));
  expect(error.reason).toBe("input/output error");
  expect(await contents(folder)).toEqual({});
});

test("a file is saved even if the disk does not support flushing", async () => {
  const folder = await scratchFolder();
  await save(join(folder, "cat.png"), bytes("one"), {}, disk("sync", "EINVAL"));
  expect(await contents(folder)).toEqual({ "cat.png": "one" });
});

test("a broken symbolic link counts as an existing file", async () => {
  const folder = await scratchFolder();
  await fs.symlink(join(folder, "gone"), join(folder, "cat.png"));
  expect(await save(join(folder, "cat.png"), bytes("one"))).toBe(join(folder, "cat-2.png"));
});

test("a missing folder is reported, and created only if requested", async () => {
  const folder = join(await scratchFolder(), "a");
  expect(await failure(save(join(folder, "cat.png"), bytes("one")))).toMatchObject({
    path: join(folder, "cat.png"),
    reason: `the folder ${folder} does not exist; create it first`,
  });
  const deep = join(folder, "b", "c", "cat.png");
  await Promise.all([1, 2, 3].map(() => save(deep, bytes("one"), { makeFolders: true })));
  expect(Object.keys(await contents(join(folder, "b", "c")))).toHaveLength(3);
});

test("a path below a file, a folder's path, a long name and a name with NUL each have their own error", async () => {
  const folder = await scratchFolder();
  await fs.writeFile(join(folder, "file"), "");
  await fs.mkdir(join(folder, "pics"));
  const below = failure(save(join(folder, "file", "cat.png"), bytes("one"), { makeFolders: true }));
  expect((await below).reason).toBe("not a folder");
  const onFolder = failure(save(join(folder, "pics"), bytes("one"), { force: true }));
  expect((await onFolder).reason).toBe("it is a folder");
  const long = failure(save(join(folder, `${"x".repeat(300)}.png`), bytes("one")));
  expect((await long).reason).toBe("the name is too long");
  expect((await failure(save(join(folder, "a\0b"), bytes("one")))).reason).toBe(
    "the name contains a NUL character",
  );
  expect((await fs.readdir(folder)).sort()).toEqual(["file", "pics"]);
});

test.skipIf(process.platform === "win32")(
  "a pipe and a symbolic link to a device are never replaced",
  async () => {
    const folder = await scratchFolder();
    execFileSync("mkfifo", [join(folder, "pipe")]);
    await fs.symlink("/dev/null", join(folder, "link"));
    for (const name of ["pipe", "link"]) {
      for (const options of [{ force: true }, { failIfExists: true }]) {
        const { reason } = await failure(save(join(folder, name), bytes("one"), options));
        expect(reason).toBe("not a regular file");
      }
    }
    expect((await fs.lstat(join(folder, "pipe"))).isFIFO()).toBe(true);
    expect(await fs.readlink(join(folder, "link"))).toBe("/dev/null");
    expect(await fs.readdir(folder)).toHaveLength(2);
  },
);

describe("before an image is paid for", () => {
  test("a folder that is writable or can be created is accepted, and nothing is created", async () => {
    const folder = await scratchFolder();
    await assertWritable(folder);
    await assertWritable(join(folder, "new", "er"), { makeFolders: true });
    expect(await contents(folder)).toEqual({});
  });

  test("a folder that is missing, or lies below a file, is reported", async () => {
    const folder = await scratchFolder();
    await fs.writeFile(join(folder, "file"), "");
    expect(await failure(assertWritable(join(folder, "new")))).toMatchObject({
      reason: "the folder does not exist; create it first",
    });
    expect(await failure(assertWritable(join(folder, "file")))).toMatchObject({ reason: "not a folder" });
    expect(
      (await failure(assertWritable(join(folder, "file", "new"), { makeFolders: true }))).reason,
    ).toMatch(/part of the path is a file/);
  });

  test.skipIf(!existsSync("/proc/self"))(
    "a folder that cannot be created is reported immediately",
    async () => {
      await failure(assertWritable("/proc/gpuctl/x", { makeFolders: true }));
      await failure(save("/proc/gpuctl/x/cat.png", bytes("one"), { makeFolders: true }));
    },
  );
});

const processes = thorough ? 10 : 4;

test("processes that save under one name at the same time create one file each", async () => {
  const folder = await scratchFolder();
  const script = fileURLToPath(new URL("save-child.ts", import.meta.url));
  const message = async (child: ChildProcess) => (await once(child, "message"))[0] as string;
  const children = Array.from({ length: processes }, () => fork(script, { execArgv: ["--import", "tsx"] }));
  await Promise.all(children.map(message));
  const outcomes = children.map(message);
  children.forEach(
    (child, index) => void child.send({ path: join(folder, "cat.png"), text: `process ${index}` }),
  );
  expect(new Set(await Promise.all(outcomes)).size).toBe(processes);
  const expected = children.map((_, index) => `process ${index}`).sort();
  expect(Object.values(await contents(folder)).sort()).toEqual(expected);
});
