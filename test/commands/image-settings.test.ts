import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { decode, encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { encodeJpeg } from "../media/jpeg.ts";
import { type Cli, createCli } from "../support/cli.ts";
import { base64, painter, tinyPng } from "../support/pictures.ts";
import { readPngText } from "../support/png-text.ts";
import { skipWithout } from "../support/programs.ts";
import { key, overNetwork } from "../support/service.ts";

const jpeg = await encodeJpeg(16, 16, new Uint8Array(16 * 16 * 4).fill(200), 80);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A JPEG without its EXIF segment. */
function withoutExif(file: Buffer): Buffer {
  const at = file.indexOf(Buffer.from("Exif\0\0", "latin1")) - 4;
  return at < 0
    ? file
    : Buffer.concat([file.subarray(0, at), file.subarray(at + 2 + file.readUInt16BE(at + 2))]);
}

const line = `image "a猫, on a roof" --seed 7 --steps 20 --negative "dogs: none" --sampler euler --lora Add_Detail:0.5`;
/** What is stored for `line`. The seed is the one in the response of `painter`, not the requested one. */
const parameters =
  "a猫, on a roof <lora:Add_Detail:0.5>\nNegative prompt: dogs: none\nSteps: 20, Sampler: euler, CFG scale: 5, Seed: 42, Size: 1024x1024, Model: SDXL1.0-base, Version: 0.0.0-test";

describe("the settings in a JPEG", () => {
  test("are stored as EXIF, and the rest of the file is unchanged", async () => {
    const { run, folder } = await painter(jpeg);
    const { code, out } = await run(`${line} --out cat.jpg -o json`, overNetwork());
    expect(code).toBe(0);
    const file = await readFile(join(folder, "cat.jpg"));
    expect(withoutExif(file).equals(jpeg)).toBe(true);
    expect(JSON.parse(out)).toMatchObject([{ bytes: file.length, sha256: sha256(file) }]);
    expect(file.includes(key)).toBe(false);
    // A JFIF segment stays first, and the EXIF segment follows it.
    expect(file.subarray(2, 4).toString("hex")).toBe("ffe0");
  });

  test("can be read by exiftool", async (context) => {
    skipWithout("exiftool", context);
    const { run, folder } = await painter(jpeg);
    await run(`${line} --out cat.jpg`, overNetwork());
    const args = ["-json", "-warning", "-UserComment", "-ImageDescription", join(folder, "cat.jpg")];
    const [read] = JSON.parse((await promisify(execFile)("exiftool", args)).stdout);
    expect(read.UserComment).toBe(parameters);
    expect(JSON.parse(String(read.ImageDescription))).toMatchObject({ prompt: "a猫, on a roof", seed: 42 });
    expect(read.Warning).toBeUndefined();
  });

  test.each([
    ["--no-metadata", jpeg, "--no-metadata"],
    ["a picture with EXIF of its own", withExif(jpeg), ""],
    ["a negative prompt that is too long for a segment", jpeg, `--negative ${"x".repeat(70_000)}`],
  ])("are not stored with %s", async (_what, picture, flags) => {
    const { run, folder } = await painter(picture);
    expect(await run(`image cat ${flags} --out cat.jpg`, overNetwork())).toMatchObject({ code: 0 });
    expect((await readFile(join(folder, "cat.jpg"))).equals(picture)).toBe(true);
  });
});

function withExif(file: Uint8Array): Buffer {
  const segment = Buffer.from("ffe1000845786966000000", "hex").subarray(0, 10);
  return Buffer.concat([file.subarray(0, 2), segment, file.subarray(2)]);
}

describe("a large PNG", () => {
  const [width, height] = [600, 500];
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * at * 31) >> 3);
  const png = Buffer.from(encode({ width, height, channels: 3, depth: 8, data }));

  const block = 160 * 1024;

  test.each([0, 1, 2, 3, 5, 8, 11])(
    "is saved with its settings if it is %i bytes shorter than a number of whole blocks",
    async (less) => {
      // The file is written in blocks. Its length decides where the end of a block splits the last chunk.
      const padding = Buffer.concat([
        png.subarray(0, 33),
        textChunk(block - ((png.length + 12) % block) - less),
        png.subarray(33),
      ]);
      const { run, folder } = await painter(padding);
      const { out } = await run("image cat --out cat.png -o json", overNetwork());
      const file = await readFile(join(folder, "cat.png"));
      expect(JSON.parse(out)).toMatchObject([{ bytes: file.length, sha256: sha256(file) }]);
      expect(readPngText(file).parameters).toContain("Seed: 42");
      expect(Buffer.from(decode(file, { checkCrc: true }).data).equals(data)).toBe(true);
      expect(file.subarray(0, padding.length - 12).equals(padding.subarray(0, -12))).toBe(true);
    },
  );

  test("is saved with any bytes that follow its end", async () => {
    const more = Buffer.alloc(300_000, "more");
    const { run, folder } = await painter(Buffer.concat([png, more]));
    const { out } = await run("image cat --out cat.png -o json", overNetwork());
    const file = await readFile(join(folder, "cat.png"));
    expect(JSON.parse(out)).toMatchObject([{ bytes: file.length, sha256: sha256(file) }]);
    expect(file.subarray(-more.length).equals(more)).toBe(true);
    expect(readPngText(file.subarray(0, -more.length)).parameters).toContain("cat");
  });
});

/** A chunk with `size` bytes of data. The name of the chunk says that readers may skip it. */
function textChunk(size: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, size) + 12);
  bytes.writeUInt32BE(Math.max(0, size), 0);
  bytes.write("prVt", 4, "latin1");
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

describe("image --from", () => {
  const bodyOf = async (cli: Cli, words: string) => {
    const { code, err, requests } = await cli.run(words, overNetwork());
    return { code, err, body: requests[0]?.body };
  };

  test.each([
    ["a PNG", tinyPng(), "old.png"],
    ["a JPEG", jpeg, "old.jpg"],
  ])("repeats the settings of %s, unless flags or the prompt override them", async (_what, picture, name) => {
    const cli = await painter(picture);
    const first = await bodyOf(cli, `${line} --size 1536x640 --out ${name}`);
    const repeated = await bodyOf(cli, `image --from ${name} --out new`);
    expect(repeated).toMatchObject({ code: 0, body: { ...(first.body as object), seed: 42 } });
    const changed = await bodyOf(cli, `image dog --from ${name} --seed 8 --size 1024x1024 --out new`);
    expect(changed.body).toEqual({
      ...(first.body as object),
      prompt: "dog",
      seed: 8,
      width: 1024,
      height: 1024,
    });
  });

  test("sends nothing if the seed of the picture is too large to be sent exactly, unless --seed is given", async () => {
    const seed = "17179869184123456789";
    const cli = await createCli({
      respond: () => new Response(`{"images":[{"image":"${base64(tinyPng())}","random_seed":${seed}}]}`),
    });
    await cli.run("image cat --out old.png", overNetwork());
    expect(await cli.run("image --from old.png --out new.png", overNetwork())).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        `--from old.png: the seed ${seed} is too large to be sent exactly; choose another one with --seed`,
      ),
      requests: [],
    });
    expect(await bodyOf(cli, "image --from old.png --seed 7 --out new.png")).toMatchObject({
      body: { seed: 7 },
    });
  });

  test("reads stdin, but not if another flag also reads stdin", async () => {
    const cli = await painter(tinyPng());
    await cli.run("image cat --steps 9 --out old.png", overNetwork());
    const stdin = await readFile(join(cli.folder, "old.png"));
    const { requests } = await cli.run("image --from -", { ...overNetwork(), stdin });
    expect(requests[0]?.body).toMatchObject({ prompt: "cat", steps: 9, seed: 42 });
    const both = await cli.run("image --from - --image -", { ...overNetwork(), stdin });
    expect(both).toMatchObject({ code: 2, requests: [] });
  });

  test.each([
    ["is overridden by piped text", "the same at dawn\n", "", "the same at dawn"],
    ["is kept if stdin is empty", "", "", "cat"],
    ["is kept if stdin has only a line break", "\n", "", "cat"],
    ["is kept with --no-stdin", "the next line\n", " --no-stdin", "cat"],
  ])("reads the prompt of the picture, which %s", async (_, stdin, flags, prompt) => {
    const cli = await painter(tinyPng());
    await cli.run("image cat --steps 9 --out old.png", overNetwork());
    const { requests } = await cli.run(`image --from old.png${flags}`, { ...overNetwork(), stdin });
    expect(requests.map(({ body }) => body)).toMatchObject([{ prompt, steps: 9, seed: 42 }]);
  });

  test("keeps the stored prompt if stdin is the reference image", async () => {
    const cli = await painter(tinyPng());
    await cli.run("image cat --model SD1.5 --size 1024x1024 --out old.png", overNetwork());
    const { requests } = await cli.run("image --from old.png --image -", {
      ...overNetwork(),
      stdin: tinyPng(),
    });
    expect(requests[0]?.body).toMatchObject({ prompt: "cat", image: base64(tinyPng()) });
  });

  test("reads settings that other programs wrote, and names a model that gpuctl does not know", async () => {
    const text = [
      'a cat, <lora:Add_Detail:0.5> "hi"\nsecond line',
      "Negative prompt: dogs\nand birds",
      'Steps: 12, Sampler: Euler a, CFG scale: 7.5, Seed: 9, Size: 1152x896, Model: "a, b", Version: v1.9',
    ].join("\n");
    const cli = await painter(tinyPng());
    await writeFile(join(cli.folder, "old.png"), encode({ ...onePixel, text: { parameters: text } }));
    const { body, err } = await bodyOf(cli, "image --from old.png");
    expect(body).toEqual({
      model_name: "SDXL1.0-base",
      prompt: 'a cat, "hi"\nsecond line',
      negative_prompt: "dogs\nand birds",
      steps: 12,
      sampler: "Euler a",
      cfg_scale: 7.5,
      seed: 9,
      width: 1152,
      height: 896,
      lora: { Add_Detail: 0.5 },
    });
    expect(err).toContain("was made with the model a, b, which gpuctl does not know");
  });

  test("requires --image for a picture that was made from a reference picture", async () => {
    const cli = await painter(tinyPng());
    await writeFile(join(cli.folder, "in.png"), tinyPng());
    await cli.run("image cat --image in.png --strength 0.3 --out old.png", overNetwork());
    const without = await bodyOf(cli, "image --from old.png");
    expect(without).toMatchObject({ code: 2, body: undefined });
    expect(without.err).toContain("pass the reference image with --image");
    const { body } = await bodyOf(cli, "image --from old.png --image in.png");
    expect(body).toMatchObject({ image: base64(tinyPng()), strength: 0.3 });
  });

  test.each([
    ["no.png", "no such file"],
    ["none.png", "no image settings found: the file has no texts"],
    ["other.png", "the file has only the texts Software, Author"],
    ["plain.jpg", "the file has no EXIF"],
    ["text.txt", "the file has an unknown format"],
  ])("reports why %s cannot be used", async (name, message) => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "none.png"), tinyPng());
    const text = { Software: "x", Author: "y" };
    await writeFile(join(cli.folder, "other.png"), encode({ ...onePixel, text }));
    await writeFile(join(cli.folder, "plain.jpg"), jpeg);
    await writeFile(join(cli.folder, "text.txt"), "hello");
    const { code, err, requests } = await cli.run(`image --from ${name} --sandbox`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(message);
  });

  test("before anything is sent, rejects settings that the service does not support", async () => {
    const cli = await createCli();
    const text = { parameters: "cat\nSteps: 20, Size: 512x512" };
    await writeFile(join(cli.folder, "old.png"), encode({ ...onePixel, text }));
    const { code, err, requests } = await cli.run("image --from old.png --sandbox");
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("512x512 is not a supported resolution");
    await copyFile(join(cli.folder, "old.png"), join(cli.folder, "two.png"));
    expect(await cli.run("image --from two.png --size 1024x1024 --sandbox")).toMatchObject({ code: 0 });
  });
});

const onePixel = { width: 1, height: 1, channels: 3, data: new Uint8Array(3) } as const;
