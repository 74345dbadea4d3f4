import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ArrivingMedia } from "../../src/media/arriving.ts";
import { base64, tinyPng } from "../support/pictures.ts";
import { scratchFolder } from "./scratch.ts";

test("if the settings cannot be written, the complete picture is saved without them", async () => {
  const folder = await scratchFolder();
  const to = { kind: "file", path: `${folder}/cat.png` } as const;
  const media = new ArrivingMedia({ to, fallbackFolders: [] });
  media.write(base64(tinyPng()));
  media.end();
  const names = { date: new Date(0), fallback: "picture" };
  // A value that JSON cannot represent.
  const settings = { request: { prompt: 1n }, version: "1" };
  const { file } = media.finish({ kind: "image", count: 1, names }, settings);
  expect(await readFile(file.path)).toEqual(Buffer.from(tinyPng()));
});
