import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SaveFailed, UsageError } from "../../src/core/errors.ts";
import { destination, type FileDestination, folderOf, pathIn } from "../../src/media/destination.ts";
import { scratchFolder } from "./scratch.ts";

const values = {
  date: new Date(2026, 0, 2, 3, 4, 5),
  prompt: "cat",
  seed: 7,
  fallback: "picture",
  ext: "png",
};
const defaultName = "2026-01-02-030405-cat-7.png";

async function resolved(out: string | undefined, here: string) {
  const to = await destination(out, here);
  if (to.kind === "stdout") throw new Error("stdout has no path");
  return { ...pathIn(to, values), folder: folderOf(to), kind: to.kind };
}

test("the path - means stdout", async () => {
  expect(await destination("-")).toEqual({ kind: "stdout" });
});

test("without --out the image is saved in the current folder under the default name", async () => {
  const to = (await destination(undefined)) as FileDestination;
  expect(folderOf(to)).toBe(".");
  expect(pathIn(to, values)).toMatchObject({ path: defaultName, renamed: false });
});

test("an image in an existing folder gets the default name, even if the folder's path has no trailing slash or has braces", async () => {
  const here = await scratchFolder();
  await mkdir(join(here, "pics"));
  await mkdir(join(here, "a{b}"));
  expect((await resolved("pics", here)).path).toBe(join(here, "pics", defaultName));
  expect((await resolved("pics/", here)).path).toBe(join(here, "pics", defaultName));
  expect((await resolved("a{b}", here)).path).toBe(join(here, "a{b}", defaultName));
  expect((await resolved(join(here, "pics"), "elsewhere")).path).toBe(join(here, "pics", defaultName));
});

test("a trailing slash names a folder to create", async () => {
  const here = await scratchFolder();
  expect(await resolved("new/", here)).toMatchObject({
    path: join(here, "new", defaultName),
    folder: `${here}/new/`,
    kind: "template",
    renamed: false,
  });
});

test("a path with braces is a template, even if the braces are in a folder", async () => {
  const here = await scratchFolder();
  expect(await resolved("by/{seed}/{slug}.{ext}", here)).toMatchObject({
    path: join(here, "by/7/cat.png"),
    folder: join(here, "by"),
    kind: "template",
    renamed: false,
  });
  expect((await resolved("{slug}", here)).path).toBe(join(here, "cat.png"));
  expect((await resolved("{slug}.jpg", here)).path).toBe(join(here, "cat.png"));
  expect((await resolved("{slug}/", here)).path).toBe(join(here, "cat", defaultName));
  expect(await resolved(join(here, "{slug}.{ext}"), "elsewhere")).toMatchObject({
    path: join(here, "cat.png"),
    folder: here,
  });
});

test("a misspelled placeholder is reported before an image is generated", async () => {
  await expect(destination("{sed}.png")).rejects.toThrow(UsageError);
});

describe("a file gets the extension of its actual format", () => {
  test.each([
    ["cat.png", "cat.png", false],
    ["cat.PNG", "cat.PNG", false],
    ["cat", "cat.png", false],
    ["cat.", "cat.png", false],
    ["cat.jpg", "cat.png", true],
    ["cat.jpeg", "cat.png", true],
    ["cat.v1.5", "cat.v1.5.png", true],
    ["cat.txt", "cat.txt.png", true],
    [".png", ".png.png", false],
    ["../link/../cat.wav", "../link/../cat.png", true],
  ])("PNG bytes for %s are saved as %s", async (requested, path, renamed) => {
    expect(pathIn({ kind: "file", path: requested }, values)).toEqual({
      path,
      renamed,
      replaced: /\.(jpe?g|wav)$/.test(requested),
    });
  });

  test("an equivalent extension is not changed", () => {
    const file = (path: string, ext: string) => pathIn({ kind: "file", path }, { ...values, ext }).path;
    expect(file("cat.jpeg", "jpg")).toBe("cat.jpeg");
    expect(file("talk.opus", "ogg")).toBe("talk.opus");
  });
});

test("several images with one file name are numbered before the extension", async () => {
  const to = { kind: "file", path: "out/cat.jpg" } as const;
  const names = [1, 2, 3].map((index) => pathIn(to, { ...values, index }, 3).path);
  expect(names).toEqual(["out/cat-1.png", "out/cat-2.png", "out/cat-3.png"]);
  expect(pathIn(to, { ...values, index: 1 }, 1).path).toBe("out/cat.png");
});

test("the path of an existing file resolves to that file and its folder", async () => {
  const here = await scratchFolder();
  await writeFile(join(here, "cat.png"), "");
  expect(await resolved("cat.png", here)).toMatchObject({
    path: join(here, "cat.png"),
    folder: here,
    kind: "file",
  });
});

test("an invalid path is rejected before an image is generated", async () => {
  const here = await scratchFolder();
  await writeFile(join(here, "file"), "");
  for (const path of ["", "a\0b.png", "x".repeat(300), "file/cat.png"]) {
    await expect(destination(path, here)).rejects.toThrow(SaveFailed);
  }
});

test.skipIf(process.platform === "win32")("a device is rejected, and the error suggests stdout", async () => {
  await expect(destination("/dev/null")).rejects.toThrow("use - to write to stdout");
});
