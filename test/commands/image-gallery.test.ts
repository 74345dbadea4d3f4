import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { type Cli, createCli } from "../support/cli.ts";
import { painter, tinyPng } from "../support/pictures.ts";
import { readRequest, withPngText } from "../support/png-text.ts";
import { overNetwork } from "../support/service.ts";

/** A PNG with these texts, by keyword, in chunks before its end. */
function pngWith(texts: Readonly<Record<string, string>>, type: "tEXt" | "iTXt" = "iTXt"): Buffer {
  const png = Buffer.from(tinyPng());
  const chunks = Object.entries(texts).map(([keyword, text]) => {
    const separator = type === "tEXt" ? "\0" : "\0\0\0\0\0";
    const data = Buffer.from(`${type}${keyword}${separator}${text}`, type === "tEXt" ? "latin1" : "utf8");
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length - 4, 0);
    ends.writeUInt32BE(crc32(data), 4);
    return Buffer.concat([ends.subarray(0, 4), data, ends.subarray(4)]);
  });
  return Buffer.concat([png.subarray(0, -12), ...chunks, png.subarray(-12)]);
}

const carrying = (request: object): Buffer => pngWith({ gpuctl: JSON.stringify(request) });

/** Exif data with a comment, in little-endian or big-endian byte order. */
function exifWith(encoding: string, text: Buffer, little = true): Buffer {
  const comment = Buffer.concat([Buffer.from(encoding.padEnd(8, "\0"), "latin1"), text]);
  const head = Buffer.alloc(44);
  const short = (value: number, at: number) =>
    little ? head.writeUInt16LE(value, at) : head.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    little ? head.writeUInt32LE(value, at) : head.writeUInt32BE(value, at);
  const field = (at: number, tag: number, type: number, count: number, value: number) => {
    short(tag, at);
    short(type, at + 2);
    long(count, at + 4);
    long(value, at + 8);
  };
  head.write(little ? "II" : "MM", 0, "latin1");
  short(42, 2);
  long(8, 4);
  short(1, 8);
  field(10, 0x8769, 4, 1, 26);
  short(1, 26);
  field(28, 0x9286, 7, comment.length, 44);
  return Buffer.concat([head, comment]);
}

function jpegWith(exif: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exif]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length + 2);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe1]),
    length,
    data,
    Buffer.from([0xff, 0xda, 0xff, 0xd9]),
  ]);
}

function webpWith(exif: Buffer): Buffer {
  const head = Buffer.from("RIFF\0\0\0\0WEBPVP8X\x03\0\0\0abc\0EXIF\0\0\0\0", "latin1");
  head.writeUInt32LE(exif.length, head.length - 4);
  return Buffer.concat([head, exif]);
}

const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

/** The arguments of a command line of gpuctl, as the shell splits them. */
async function wordsOf(line: string): Promise<readonly string[]> {
  const list = line.replace(/^gpuctl /, "for word in ").concat('; do printf "%s\\0" "$word"; done');
  return (await execa("sh", ["-c", list])).stdout.split("\0").slice(0, -1);
}

interface Shown {
  readonly url: string;
  readonly name: string;
  readonly prompt: string;
  readonly settings: readonly (readonly [string, string])[];
  readonly command?: string;
  readonly notes: readonly string[];
}

const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** The pictures on a page. */
const picturesOn = (page: string): readonly Shown[] =>
  [...page.matchAll(/<li data-picture="([^"]*)">.*?<img src="([^"]*)"/g)].map(
    ([, details = "", url = ""]) => ({
      ...JSON.parse(unescaped(details)),
      url: unescaped(url),
    }),
  );

/** Puts files into the folder `pictures`, writes its gallery, and returns the pictures in the gallery. */
async function galleryOf(cli: Cli, files: Readonly<Record<string, Uint8Array>>): Promise<readonly Shown[]> {
  const folder = join(cli.folder, "pictures");
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  const { code, err } = await cli.run("image gallery pictures --force");
  expect(code, err).toBe(exit.done);
  return picturesOn(await readFile(join(folder, "index.html"), "utf8"));
}

describe("image gallery", () => {
  test("writes index.html into the folder, and prints its path", async () => {
    const cli = await painter(tinyPng());
    await cli.run("image cat -n 3 --out pictures/", overNetwork());
    const path = join(cli.folder, "pictures", "index.html");
    expect(await cli.run("image gallery pictures")).toMatchObject({
      code: exit.done,
      out: `${path}\n`,
      err: "",
    });
    const json = await cli.run("image gallery pictures -o json");
    expect(JSON.parse(json.out)).toEqual({ path, pictures: 3 });
    expect(json.requests).toEqual([]);
    expect((await readdir(dirname(path))).filter((name) => !name.endsWith(".png"))).toEqual(["index.html"]);
  });

  test("shows the settings of each picture, and a command line that generates the picture again", async () => {
    const cli = await createCli();
    await cli.run(
      `image "it's a cat, \\"asleep\\"" --size 1536x640 --seed 7 -m SD1.5 --lora Lineart:0.5 --negative=-dogs --steps 20 --out pictures/ --sandbox`,
    );
    const [picture] = await galleryOf(cli, {});
    expect(picture).toMatchObject({
      prompt: 'it\'s a cat, "asleep"',
      settings: [
        ["Size", "1536×640"],
        ["Model", "SD1.5"],
        ["Steps", "20"],
        ["CFG scale", "5"],
        ["Negative prompt", "-dogs"],
        ["Seed", "7"],
        ["LoRA", "Lineart 0.5"],
      ],
      notes: [],
    });
    const again = await cli.run([
      ...(await wordsOf(picture?.command ?? "")),
      "--sandbox",
      "--out",
      "again.png",
    ]);
    expect(again.code, again.err).toBe(exit.done);
    const first = await readFile(join(cli.folder, "pictures", picture?.name ?? ""));
    const second = await readFile(join(cli.folder, "again.png"));
    expect(readRequest(second)).toEqual(readRequest(first));
  });

  test("lists files in natural order, and only pictures that a browser can display", async () => {
    const cli = await createCli();
    const pictures = await galleryOf(cli, {
      "cat-10.png": tinyPng(),
      "cat-2.png": tinyPng(),
      "notes.png": Buffer.from("no picture"),
      ".hidden.png": tinyPng(),
      "scan.tiff": Buffer.from("II*\0tiff"),
      "folder.png/inner.png": tinyPng(),
      empty: Buffer.alloc(0),
    });
    expect(pictures.map(({ name }) => name)).toEqual(["cat-2.png", "cat-10.png"]);
  });

  test("links to pictures relative to the page, whatever their names", async () => {
    const cli = await createCli();
    const names = [
      '100% "a\'b" #1?.png',
      "javascript:alert(1).png",
      "<script>.png",
      "日本.png",
      "a&amp;b.png",
    ];
    const folder = join(cli.folder, "pictures");
    await mkdir(folder);
    await mkdir(join(cli.folder, "site"));
    for (const name of names) await writeFile(join(folder, name), tinyPng());
    await cli.run("image gallery pictures --out site/page.html");
    const page = await readFile(join(cli.folder, "site", "page.html"), "utf8");
    const pictures = picturesOn(page);
    expect(pictures.map(({ url }) => decodeURIComponent(url)).sort()).toEqual(
      names.map((name) => `../pictures/${name}`).sort(),
    );
    for (const { url } of pictures) expect(url).toMatch(/^\.\.\/pictures\/[\w.%!*'()~-]+$/);
  });

  test("with --embed, contains the picture files and loads no other files", async () => {
    const cli = await createCli();
    const bytes = withPngText(tinyPng(), { prompt: "a cat" }, "1");
    await galleryOf(cli, { "cat.png": bytes });
    expect(await cli.run("image gallery pictures --embed --out cats.html")).toMatchObject({
      code: exit.done,
    });
    const page = await readFile(join(cli.folder, "cats.html"), "utf8");
    const [picture] = picturesOn(page);
    expect(picture).toMatchObject({
      url: `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`,
      prompt: "a cat",
    });
    expect(page).toContain("img-src data:;");
    expect(page).not.toMatch(/(src|href)="(?!data:)/);
  });

  test("replaces its own page, but another file only with --force", async () => {
    const cli = await createCli();
    await galleryOf(cli, { "a.png": tinyPng() });
    expect(await cli.run("image gallery pictures")).toMatchObject({ code: exit.done });
    const path = join(cli.folder, "pictures", "index.html");
    await writeFile(path, "<!doctype html><p>mine");
    const refused = await cli.run("image gallery pictures");
    expect(refused.code).toBe(exit.usage);
    expect(refused.err).toContain("the file already exists; use --force to replace it");
    expect(await readFile(path, "utf8")).toContain("mine");
    expect(await cli.run("image gallery pictures --force")).toMatchObject({ code: exit.done });
    expect(await readFile(path, "utf8")).toContain("gpuctl image gallery");
  });

  test.each([
    ["a pipe", (path: string) => execa("mkfifo", [path]), "", "not a regular file"],
    ["a broken link", (path: string) => symlink("nowhere", path), "", "the file already exists; use --force"],
    ["a folder", (path: string) => mkdir(path), "", "page: it is a folder"],
    ["a folder, even with --force,", (path: string) => mkdir(path), "--force", "page: it is a folder"],
  ])("rejects %s as --out", async (_kind, make, flags, message) => {
    const cli = await createCli();
    await galleryOf(cli, { "a.png": tinyPng() });
    await make(join(cli.folder, "page"));
    const { code, err } = await cli.run(`image gallery pictures --out page ${flags}`);
    expect(code).toBe(exit.usage);
    expect(err).toContain(message);
  });

  test("rejects - as --out, because the page is not written to stdout", async () => {
    const cli = await createCli();
    await galleryOf(cli, { "a.png": tinyPng() });
    const { code, err } = await cli.run("image gallery pictures --out -");
    expect({ code, err }).toEqual({
      code: exit.usage,
      err: "Error: --out must be a file: the page is not written to stdout\n",
    });
    expect(await readdir(cli.folder)).toEqual(["pictures"]);
  });

  test("fails and leaves no file if there are no pictures or there is no folder", async () => {
    const cli = await createCli();
    await mkdir(join(cli.folder, "pictures"));
    const empty = await cli.run("image gallery pictures");
    expect(empty).toMatchObject({ code: exit.usage, out: "" });
    expect(empty.err).toContain("no image that a browser can display could be read in pictures");
    expect(await readdir(join(cli.folder, "pictures"))).toEqual([]);
    expect(await cli.run("image gallery nowhere")).toMatchObject({ code: exit.usage });
  });

  test("leaves out a file that cannot be read, and says so", async () => {
    const cli = await createCli();
    await mkdir(join(cli.folder, "pictures"));
    await symlink("nowhere", join(cli.folder, "pictures", "broken.png"));
    await writeFile(join(cli.folder, "pictures", "a.png"), tinyPng());
    const { code, err, out } = await cli.run("image gallery pictures -o json");
    expect(code).toBe(exit.done);
    expect(err).toContain(`${join("pictures", "broken.png")} was left out`);
    expect(JSON.parse(out)).toMatchObject({ pictures: 1 });
  });

  test("writes nothing in a dry run", async () => {
    const cli = await createCli();
    await mkdir(join(cli.folder, "pictures"));
    await writeFile(join(cli.folder, "pictures", "a.png"), tinyPng());
    const { code, out } = await cli.run("image gallery pictures --dry-run -o json");
    expect(code).toBe(exit.done);
    expect(JSON.parse(out)).toMatchObject({ pictures: 1 });
    expect(await readdir(join(cli.folder, "pictures"))).toEqual(["a.png"]);
  });
});

describe("the settings in pictures of other programs", () => {
  const parameters = `a cat, sitting <lora:Lineart:0.5>
second line
Negative prompt: dogs
Steps: 20, Sampler: "Euler: a, b", CFG scale: 7.5, Seed: 965400086, Size: 1344x768, Model: SD2, Version: 1.10`;
  const expected = {
    prompt: "a cat, sitting\nsecond line",
    settings: expect.arrayContaining([
      ["Size", "1344×768"],
      ["Sampler", "Euler: a, b"],
      ["CFG scale", "7.5"],
      ["Seed", "965400086"],
      ["Negative prompt", "dogs"],
      ["LoRA", "Lineart 0.5"],
    ]),
  };

  test.each([
    ["PNG, tEXt", pngWith({ parameters }, "tEXt")],
    ["PNG, iTXt", pngWith({ parameters })],
    [
      "JPEG, Exif in UTF-16 with the byte order of the file",
      jpegWith(exifWith("UNICODE", Buffer.from(parameters, "utf16le"))),
    ],
    ["JPEG, Exif in UTF-16 with the other byte order", jpegWith(exifWith("UNICODE", utf16be(parameters)))],
    ["JPEG, big-endian Exif", jpegWith(exifWith("UNICODE", utf16be(parameters), false))],
    ["JPEG, Exif in ASCII", jpegWith(exifWith("ASCII", Buffer.from(parameters)))],
    ["WebP", webpWith(exifWith("UNICODE", Buffer.from(parameters, "utf16le")))],
  ])("are read from %s", async (_name, bytes) => {
    const [picture] = await galleryOf(await createCli(), { picture: bytes });
    expect(picture).toMatchObject(expected);
  });

  test("are also read by image --from", async () => {
    const { run, folder } = await createCli();
    const text = parameters.replace("SD2", "SD1.5").replace("965400086", "18446744073709551615");
    await writeFile(join(folder, "a.webp"), webpWith(exifWith("UNICODE", Buffer.from(text, "utf16le"))));
    const line = "image --from a.webp --dry-run -o json";
    const { code, out } = await run(`${line} --seed 7`, overNetwork());
    expect({ code, body: JSON.parse(out).request.body }).toMatchObject({
      code: exit.done,
      body: { model_name: "SD1.5", prompt: "a cat, sitting\nsecond line", seed: 7, lora: { Lineart: 0.5 } },
    });
    // A seed with digits that JavaScript would change is rejected.
    expect(await run(line, overNetwork())).toMatchObject({ code: exit.usage, requests: [] });
  });

  test("are shown with the exact seed, even if JavaScript would change its digits", async () => {
    const text = parameters.replace("965400086", "18446744073709551615");
    const [picture] = await galleryOf(await createCli(), { picture: pngWith({ parameters: text }) });
    expect(picture?.settings).toContainEqual(["Seed", "18446744073709551615"]);
  });

  test.each([
    ["a text without values", pngWith({ parameters: "just a text" })],
    ["JSON that is not a request", pngWith({ gpuctl: "[1]" })],
    ["a text that is too long", pngWith({ parameters: `${"x".repeat(1_100_000)}\nSteps: 1` })],
    ["truncated Exif", jpegWith(exifWith("UNICODE", Buffer.from("x")).subarray(0, 30))],
    ["Exif that points nowhere", jpegWith(Buffer.from("II*\0\xff\xff\xff\x7f", "latin1"))],
    ["a truncated PNG", Buffer.from(tinyPng()).subarray(0, 30)],
  ])("are not shown for %s", async (_name, bytes) => {
    const [picture] = await galleryOf(await createCli(), { picture: bytes });
    expect(picture).toMatchObject({ prompt: "", settings: [], notes: [] });
    expect(picture).not.toHaveProperty("command");
  });
});

describe("the command line of a picture in the gallery", () => {
  const commandOf = async (request: object) => {
    const [picture] = await galleryOf(await createCli(), { "a.png": carrying(request) });
    return picture ?? { command: undefined, notes: [] };
  };

  test.each(["models", "-x", "-n 3 cats", "gallery", "$(touch x) `y` 'z' \"w\" \\", "two\nlines", "--"])(
    "contains the same prompt: %j",
    async (prompt) => {
      const { command = "" } = await commandOf({ prompt, seed: -3 });
      const { run } = await createCli();
      const { code, err, out } = await run(
        [...(await wordsOf(command)), "--dry-run", "-o", "json"],
        overNetwork(),
      );
      expect(code, err).toBe(exit.done);
      expect(JSON.parse(out).request.body).toMatchObject({ prompt, seed: -3 });
    },
  );

  test("contains no control characters, which could run commands when a user pastes the line", async () => {
    const { command } = await commandOf({
      prompt: "a cat\u001b[201~\u0003; touch x\u009b1m\t\u202e",
      sampler: "e\u0003\ruler",
    });
    expect(command).toBe("gpuctl image 'a cat; touch x ' --sampler euler");
  });

  test("has no seed if the seed is too large to be sent exactly", async () => {
    const [seed, command] = ["17179869184123456789", "gpuctl image 'a cat' --steps 9"];
    const notes = [`The seed ${seed} is too large to be sent exactly: the command line has no seed.`];
    expect(await commandOf({ prompt: "a cat", seed, steps: 9 })).toMatchObject({ command, notes });
  });

  test("is shown with notes about settings that it cannot repeat", async () => {
    expect(
      await commandOf({
        prompt: "a cat",
        model_name: "other",
        width: 500,
        height: 500,
        image: "sha256:1",
        strength: 0.5,
        steps: 9,
      }),
    ).toMatchObject({
      command: "gpuctl image 'a cat' --steps 9",
      notes: [
        "Made from a reference image: add --image FILE --strength 0.5.",
        "The service has no model other: the command line uses the default model.",
        "The service does not support the size 500x500.",
      ],
    });
  });

  test("contains no unknown fields and no values of a wrong type", async () => {
    const { command } = await commandOf({
      prompt: "a cat",
      "x; rm -rf ~": "y",
      out: "/etc/passwd",
      seed: [1],
      lora: ["x"],
      steps: { a: 1 },
    });
    expect(command).toBe("gpuctl image 'a cat'");
  });
});
