import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { tinyPng } from "../support/pictures.ts";
import { always, overNetwork } from "../support/service.ts";

const wav = (size: number) => {
  const bytes = Buffer.from("RIFF\0\0\0\0WAVEfmt \0\0\0\0data\0\0\0\0");
  bytes.writeUInt32LE(size, 4);
  // The length of the samples is the last field.
  bytes.writeUInt32LE(size - 20, 24);
  return bytes.toString("base64");
};

test.each([
  ["truncated", 1000, 7, true],
  ["complete", 20, 0, false],
  ["of unknown size", 0xffff_ffff, 0, false],
])(
  "tts saves a WAV file that is %s, and adds -truncated to the name of a truncated file",
  async (_name, size, code, isMarked) => {
    const { run, folder } = await createCli({ respond: always(200, { audio: wav(size) }) });
    const result = await run("tts Hello", overNetwork());
    expect(result).toMatchObject({ code });
    expect(result.err.includes("the audio is truncated. Saved to ")).toBe(isMarked);
    expect((await readdir(folder)).join().includes("-truncated")).toBe(isMarked);
  },
);

test("tts --out - saves truncated audio to a file instead, because on stdout nothing could mark it as truncated", async () => {
  const { run, folder } = await createCli({ respond: always(200, { audio: wav(1000) }) });
  const { code, out, err } = await run("tts Hello --out -", overNetwork());
  expect({ code, out }).toEqual({ code: 7, out: "" });
  const [, path = ""] = /the audio is truncated\. Saved to (\S+),/.exec(err) ?? [];
  expect(path.startsWith(folder)).toBe(true);
  expect((await readFile(path)).toString("base64")).toBe(wav(1000));
});

test("image omits a seed that is not a whole number from the file name", async () => {
  const images = [{ image: Buffer.from(tinyPng()).toString("base64"), seed: "../.." }];
  const { run, folder } = await createCli({ respond: always(200, { images }) });
  expect(await run("image hello", overNetwork())).toMatchObject({ code: 0 });
  expect((await readdir(folder)).join()).toMatch(/-hello-1\.png$/);
});
