import fs from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { maxResults } from "../../src/media/arriving.ts";
import { type Cli, createCli, type Responder, temporaryFolder } from "../support/cli.ts";
import { failFlushes } from "../support/full-disk.ts";
import { base64, painter, saved, tinyPng } from "../support/pictures.ts";
import { withPngText } from "../support/png-text.ts";
import { always, overNetwork } from "../support/service.ts";

/** Audio without a header, so its format cannot be detected. */
const pcm = Buffer.from(Array.from({ length: 400 }, (_, at) => (at * 37) % 200));
const wav = Buffer.from(`RIFF\x20\0\0\0WAVEfmt ${"\0".repeat(24)}`, "latin1");
const mp3 = Buffer.from(`ID3\x04\0\0\0\0\0\0${"\x01".repeat(600)}`, "latin1");

const speaker = (bytes: Uint8Array) => createCli({ respond: always(200, { audio: base64(bytes) }) });

/** A service that responds with a stream. `pull` writes its parts, and can also break it off. */
const streaming = (pull: (stream: ReadableStreamDefaultController<Uint8Array>) => void): Responder => {
  return () =>
    new Response(new ReadableStream({ pull }), { headers: { "content-type": "application/json" } });
};

/** The path that follows `text` in a message. */
const pathAfter = (text: string, message: string): string =>
  new RegExp(`${text}(\\S+?)\\.?(?:\\s|$)`).exec(message)?.[1] ?? "";

const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

describe("a result in an unknown or unexpected format is saved unchanged", () => {
  test.each([
    ["--out x.pcm", "x.pcm"],
    ["--out sound", "sound"],
    ["--out x.wav", "x.wav"],
    ["--out {slug}.raw", "hi.raw"],
    ["--out {slug}.{ext}", "hi.bin"],
    ["--out {slug}", "hi.bin"],
    ["--out new/", /^new\/2026-11-20-\d{6}-hi\.bin$/],
    ["", /^2026-11-20-\d{6}-hi\.bin$/],
  ])("by tts hi %s", async (flags, expected) => {
    const { run, folder } = await speaker(pcm);
    const { code, out, err } = await run(`tts hi ${flags}`, overNetwork());
    expect(code).toBe(0);
    const path = out.trimEnd();
    expect(path.slice(folder.length + 1)).toMatch(expected);
    expect(await readFile(path)).toEqual(pcm);
    expect(err).toContain(
      `Warning: the response has an unknown format; its bytes were saved unchanged as ${path}.`,
    );
  });

  test("but replaces an existing file only with --force", async () => {
    const { run, folder } = await speaker(pcm);
    await writeFile(join(folder, "x.pcm"), "mine");
    expect((await run("tts hi --out x.pcm", overNetwork())).out).toBe(`${join(folder, "x-2.pcm")}\n`);
    expect(await readFile(join(folder, "x.pcm"), "utf8")).toBe("mine");
    await run("tts hi --out x.pcm --force", overNetwork());
    expect(await readFile(join(folder, "x.pcm"))).toEqual(pcm);
  });

  test("or written to stdout with --out -", async () => {
    const { run } = await speaker(pcm);
    const { code, bytes, err } = await run("tts hi --out -", overNetwork());
    expect({ code, bytes }).toEqual({ code: 0, bytes: pcm });
    expect(err).toContain("its bytes were written unchanged");
  });

  test("under the file name of --out, even if it is audio instead of a picture", async () => {
    const { run, folder } = await painter(mp3);
    const { code, out, err } = await run("image cat --out cat.png", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: `${join(folder, "cat.png")}\n` });
    expect(err).toContain("the response is audio/mpeg, not an image");
    expect((await run("image cat", overNetwork())).out).toMatch(/-cat-42-1\.mp3\n$/);
  });

  test.each([
    ["webm", "tts", Buffer.from("\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm", "latin1")],
    ["aiff", "tts", Buffer.from("FORM\0\0\0\x20AIFFCOMM", "latin1")],
    ["amr", "tts", Buffer.from("#!AMR\n\x0c", "latin1")],
    ["caf", "tts", Buffer.from("caff\0\x01\0\0desc", "latin1")],
    ["tiff", "image", Buffer.from("II*\0\x08\0\0\0", "latin1")],
    ["jxl", "image", Buffer.from("\0\0\0\x0cJXL \r\n\x87\n", "latin1")],
  ])(
    "but %s is a known format, so the file gets its extension without a warning",
    async (ext, command, bytes) => {
      const { run, folder } = await createCli({
        respond: always(200, { audio: base64(bytes), images: [{ image: base64(bytes) }] }),
      });
      const { code, out, err } = await run(`${command} hi --out x`, overNetwork());
      expect({ code, out }).toEqual({ code: 0, out: `${join(folder, `x.${ext}`)}\n` });
      expect(err).not.toContain("unknown format");
    },
  );
});

describe("image, if a picture in a response is unusable or of an unknown format,", () => {
  const images = (...entries: readonly unknown[]) => always(200, { images: entries });
  const good = { image: base64(tinyPng()) };

  test("saves all pictures if the format of one is unknown", async () => {
    const cli = await painter(tinyPng(), pcm, tinyPng());
    const { code, out } = await cli.run("image cat --out cat.png --no-metadata", overNetwork());
    expect(code).toBe(0);
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((path) => path.slice(cli.folder.length + 1)),
    ).toEqual(["cat.png", "cat-2.png", "cat-3.png"]);
    expect(await readFile(join(cli.folder, "cat-2.png"))).toEqual(pcm);
  });

  test.each([{ image: "***" }, { image: "" }, { image: null }, {}, null, "x"])(
    "saves the other pictures and the response, and exits with 12, if one picture is %j",
    async (bad) => {
      const cli = await createCli({ respond: images(good, bad, good) });
      const { code, out, err } = await cli.run("image cat --out cat.png", overNetwork());
      expect({ code, out }).toEqual({
        code: 12,
        out: `${join(cli.folder, "cat.png")}\n${join(cli.folder, "cat-2.png")}\n`,
      });
      expect(err).toContain("Error: 1 of 3 images failed\n  image 2: the response");
      const kept = pathAfter("The response was saved to ", err);
      expect(JSON.parse(await readFile(kept, "utf8"))).toEqual({ images: [good, bad, good] });
    },
  );

  test("prints one complete JSON document on stdout and one on stderr with -o json", async () => {
    const { run } = await createCli({ respond: images(good, { image: "***" }) });
    const { code, out, err } = await run("image cat -o json", overNetwork());
    expect({ code, pictures: JSON.parse(out) }).toMatchObject({
      code: 12,
      pictures: [{ size: "1024x1024" }],
    });
    expect(JSON.parse(err).error).toMatchObject({ code: "SOME_FAILED", exitCode: 12 });
  });

  test("stops further requests if a response has no usable picture", async () => {
    const responses = [images(good), images({ image: "***" })];
    const { run, folder } = await createCli({ respond: (request) => responses.shift()?.(request) });
    const { code, out, err, requests } = await run(
      "image cat -n 4 --concurrency 1 --out cat.png",
      overNetwork(),
    );
    expect({ code, out, sent: requests.length }).toEqual({
      code: 12,
      out: `${join(folder, "cat-1.png")}\n`,
      sent: 2,
    });
    expect(err).toContain("2 images, $0.024 spent");
  });

  test("with --out -, writes the first picture to stdout and saves the others as files", async () => {
    const { run, folder } = await painter(tinyPng(), pcm);
    const { code, bytes, err } = await run("image cat --out - --no-metadata", overNetwork());
    expect({ code, bytes }).toEqual({ code: 0, bytes: Buffer.from(tinyPng()) });
    const path = pathAfter("Standard output takes only one image. Saved to ", err);
    expect(dirname(path)).toBe(folder);
    expect(await readFile(path)).toEqual(pcm);
  });
});

test.each([1, 2, 3])(
  "image saves an unusable response unchanged if the length of a picture is a multiple of 3, plus %i",
  async (length) => {
    const body = {
      images: [{ image: base64(Buffer.alloc(300 + length, "RIFF")) }, { url: "https://x.example" }],
    };
    const { run } = await createCli({ respond: always(200, body) });
    const { err } = await run("image cat", overNetwork());
    expect(JSON.parse(await readFile(pathAfter("The response was saved to ", err), "utf8"))).toEqual(body);
  },
);

describe("a response with too many results is saved as a file", () => {
  test.each([
    ["pictures", maxResults + 1, base64(tinyPng())],
    ["empty pictures", 12_000, ""],
  ])("if it has %s", { timeout: 10_000 }, async (_, count, image) => {
    const body = { images: Array.from({ length: count }, () => ({ image })) };
    const cli = await createCli({ respond: always(200, body) });
    const { code, out, err } = await cli.run("image cat", overNetwork());
    expect({ code, out }).toEqual({ code: 7, out: "" });
    expect(err).toContain(
      `the response contains ${count} images, but gpuctl saves at most 100 from one response`,
    );
    const kept = pathAfter("The response was saved to ", err);
    expect(JSON.parse(await readFile(kept, "utf8"))).toEqual(body);
    expect(await saved(cli)).toEqual([basename(kept)]);
  });

  test("and gpuctl stops decoding results into files after the limit", async () => {
    const opened = vi.spyOn(fs, "openSync");
    syncBuiltinESMExports();
    onTestFinished(() => {
      opened.mockRestore();
      syncBuiltinESMExports();
    });
    const body = { images: Array.from({ length: 3 * maxResults }, () => ({ image: base64(tinyPng()) })) };
    const cli = await createCli({ respond: always(200, body) });
    const { err } = await cli.run("image cat", overNetwork());
    const parts = opened.mock.calls.filter(([path]) => String(path).endsWith(".part"));
    expect(parts).toHaveLength(maxResults + 1);
    expect(JSON.parse(await readFile(pathAfter("The response was saved to ", err), "utf8"))).toEqual(body);
  });

  test.each([
    ["recordings", "tts hi", "audio", (list: string) => `{${list}}`],
    ["pictures", "image cat", "image", (list: string) => `{"images":[{${list}}]}`],
  ])("if an object repeats its key for each of the %s", async (_, line, key, bodyOf) => {
    const results = Array.from({ length: maxResults + 1 }, (_, at) => base64(Buffer.from(`RIFF ${at} WAVE`)));
    const body = bodyOf(results.map((result) => `"${key}":"${result}"`).join());
    const cli = await createCli({ respond: () => new Response(body) });
    const { code, err } = await cli.run(line, overNetwork());
    expect(code).toBe(7);
    expect(err).toMatch(/the response contains 101 (audio files|images), but gpuctl saves at most 100/);
    const kept = pathAfter("The response was saved to ", err);
    expect(await saved(cli)).toEqual([basename(kept)]);
    const { response, repeated } = JSON.parse(await readFile(kept, "utf8"));
    expect(repeated).toEqual(results.slice(0, -1));
    expect(response).toEqual(JSON.parse(body));
  });
});

describe("a truncated picture", () => {
  const png = Buffer.from(tinyPng());
  const withoutEnd = png.subarray(0, -12);
  const riff = (size: number) => {
    const webp = Buffer.alloc(40, "RIFF____WEBPVP8 ");
    webp.writeUInt32LE(size, 4);
    return webp;
  };
  /** A complete picture, which is the preview in the first segment of the JPEG. */
  const preview = Buffer.from("ffd8ffd9", "hex");
  const jpeg = Buffer.concat([
    Buffer.from("ffd8ffe10006", "hex"),
    preview,
    Buffer.from("ffda0004000011223344", "hex"),
    Buffer.from("ff00ffd9", "hex"),
  ]);

  test.each([
    ["a PNG without its end", "png", withoutEnd],
    ["a PNG that ends in a chunk", "png", png.subarray(0, 30)],
    ["half a JPEG", "jpg", jpeg.subarray(0, 16)],
    ["a JPEG that ends before its pixels", "jpg", jpeg.subarray(0, 8)],
    ["a WebP that is shorter than it says", "webp", riff(400)],
  ])(
    "is saved with -truncated in its name, and image exits with 7 and writes no path to stdout: %s",
    async (_what, ext, bytes) => {
      const cli = await painter(bytes);
      await writeFile(join(cli.folder, `cat-truncated.${ext}`), "mine");
      const { code, out, err } = await cli.run(`image cat --out cat.${ext} --force`, overNetwork());
      expect({ code, out }).toEqual({ code: 7, out: "" });
      const path = join(cli.folder, `cat-truncated-2.${ext}`);
      expect(err).toContain(`Error: the image is truncated. Saved to ${path}, because you were charged`);
      expect(await readFile(path)).toEqual(bytes);
      expect(await saved(cli)).toEqual([`cat-truncated-2.${ext}`, `cat-truncated.${ext}`]);
    },
  );

  test.each([
    ["jpg", jpeg],
    ["webp", riff(32)],
  ])("is not reported for a complete file of the type %s", async (ext, bytes) => {
    const { run, folder } = await painter(bytes);
    const expected = { code: 0, out: `${join(folder, `cat.${ext}`)}\n` };
    expect(await run("image cat --out cat", overNetwork())).toMatchObject(expected);
  });

  test("among several is saved, and the paths of the others are printed", async () => {
    const pictures = [png, withoutEnd, png];
    const { run, folder } = await createCli({
      respond: () => Response.json({ images: [{ image: base64(pictures.shift() ?? png) }] }),
    });
    const { code, out, err } = await run("image cat -n 3 --out cat.png", overNetwork());
    expect({ code, out }).toEqual({
      code: 12,
      out: `${join(folder, "cat-1.png")}\n${join(folder, "cat-3.png")}\n`,
    });
    expect(err).toContain(
      `1 of 3 images failed\n  image 2: the image is truncated. Saved to ${join(folder, "cat-2-truncated.png")},`,
    );
  });

  test("is saved as a file with --out -, and not written to stdout", async () => {
    const cli = await painter(withoutEnd);
    const { code, out } = await cli.run("image cat --out -", overNetwork());
    expect({ code, out }).toEqual({ code: 7, out: "" });
    const [name = ""] = await saved(cli);
    expect(name).toMatch(/-truncated\.png$/);
    expect(await readFile(join(cli.folder, name))).toEqual(withoutEnd);
  });
});

describe("a response that cannot be used is saved", () => {
  test.each([
    ["tts hi --out hi.wav", { audio: "" }],
    ["tts hi --out hi.wav", { audio: "****" }],
    ["tts hi --out hi.wav", { sound: base64(wav) }],
    ["tts hi --out -", { audio: "aGVsbG8=====" }],
    ["image cat --out cat.png", { images: [{ image: "***" }] }],
    ["image cat --out cat.png", { images: [] }],
    ["image cat --out -", { images: [{ url: "https://pictures.example/1" }] }],
  ])("by %s, which exits with 7: %j", async (line, body) => {
    const cli = await createCli({ respond: always(200, body) });
    const { code, out, err } = await cli.run(line, overNetwork());
    expect({ code, out }).toEqual({ code: 7, out: "" });
    const path = pathAfter("The response was saved to ", err);
    expect(await saved(cli)).toEqual([path.slice(cli.folder.length + 1)]);
    expect(path).toMatch(/2026-11-20-\d{6}-response\.json$/);
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual(body);
  });

  test.each(["tts hi", "image cat"])("by %s, which prints the error in the response", async (line) => {
    const body = { error: { message: "the model is not loaded" } };
    const cli = await createCli({ respond: always(200, body) });
    const { code, err } = await cli.run(line, overNetwork());
    expect(code).toBe(7);
    expect(err).toContain("the service reported an error: the model is not loaded");
    expect(JSON.parse(await readFile(pathAfter("The response was saved to ", err), "utf8"))).toEqual(body);
  });

  test.each([
    "tts hi",
    "image cat",
    "chat hi --no-stream -m llama",
    "api call POST /v1/audio/generation -f text=x",
  ])("unchanged by %s, which exits with 10, if it is not JSON", async (line) => {
    const respond = () => new Response(mp3, { headers: { "content-type": "application/json" } });
    const cli = await createCli({ respond });
    const { code, out, err } = await cli.run(`${line} --no-validate`, overNetwork());
    expect({ code, out }).toEqual({ code: 10, out: "" });
    const path = pathAfter("The response was saved to ", err);
    expect(path).toMatch(/-response\.mp3$/);
    expect(await readFile(path)).toEqual(mp3);
  });

  test("as far as it arrived if the connection breaks", async () => {
    const parts = ['{"audio":"UklGR', "gAAAA"];
    const respond = streaming((stream) => {
      const part = parts.shift();
      if (part === undefined) stream.error(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
      else stream.enqueue(Buffer.from(part));
    });
    const { run } = await createCli({ respond });
    const { code, out, err } = await run("tts hi -o json", overNetwork());
    expect({ code, out }).toEqual({ code: 10, out: "" });
    const { hint } = JSON.parse(err).error;
    const path = pathAfter("The incomplete response was saved to ", hint);
    expect(path).toMatch(/-incomplete-response\.json$/);
    expect(await readFile(path, "utf8")).toBe('{"audio":"UklGRgAAAA');
  });

  test("as far as it arrived if the user presses Ctrl-C", async () => {
    const controller = new AbortController();
    let left = 1;
    const respond = streaming((stream) => {
      left -= 1;
      if (left === 0) stream.enqueue(Buffer.from('{"audio":"UklG'));
      else controller.abort();
    });
    const { run } = await createCli({ respond });
    const { code, out, err } = await run("tts hi", { ...overNetwork(), signal: controller.signal });
    expect({ code, out }).toEqual({ code: 130, out: "" });
    const path = pathAfter("The incomplete response was saved to ", err);
    expect(await readFile(path, "utf8")).toBe('{"audio":"UklG');
  });

  test("but either the response or its result is saved if the user presses Ctrl-C before gpuctl writes the file", async () => {
    const controller = new AbortController();
    const body = JSON.stringify({ audio: base64(wav) });
    const respond = streaming((stream) => {
      stream.enqueue(Buffer.from(body));
      stream.close();
      controller.abort();
    });
    const cli = await createCli({ respond });
    const { code } = await cli.run("tts hi --out hi.wav", { ...overNetwork(), signal: controller.signal });
    const [name = ""] = await saved(cli);
    const kept = await readFile(join(cli.folder, name));
    if (code === 0) expect(kept).toEqual(wav);
    else expect({ code, text: kept.toString() }).toEqual({ code: 130, text: body });
  });

  test("but not if the response is empty", async () => {
    const cli = await createCli({ respond: () => new Response("") });
    expect(await cli.run("tts hi", overNetwork())).toMatchObject({ code: 10 });
    expect(await saved(cli)).toEqual([]);
  });
});

describe("a result that cannot be written to its file or to stdout is saved elsewhere", () => {
  /** A CLI whose service does `work` before it responds. */
  const meanwhile = (work: (cli: Cli) => Promise<unknown>, body: unknown): Promise<Cli> => {
    const created: Promise<Cli> = createCli({
      respond: async () => {
        await work(await created);
        return Response.json(body);
      },
    });
    return created;
  };

  test("if the folder was replaced by a file meanwhile", async () => {
    const replace = async ({ folder }: Cli) => {
      await rm(join(folder, "sounds"), { recursive: true });
      await writeFile(join(folder, "sounds"), "");
    };
    const { run, folder } = await meanwhile(replace, { audio: base64(wav) });
    await mkdir(join(folder, "sounds"));
    const { code, out, err } = await run("tts hi --out sounds/hi.wav", overNetwork());
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const path = pathAfter("Saved to ", err);
    expect(err).toMatch(
      /^Error: could not save \S+: not a folder\. Saved to \S+ instead, because you were charged/,
    );
    expect(dirname(path)).toBe(folder);
    expect(await readFile(path)).toEqual(wav);
  });

  test("if the disk fails to store it while another picture arrives", async () => {
    const png = Buffer.from(tinyPng());
    const image = base64(png);
    const { run, folder } = await createCli({ respond: always(200, { images: [{ image }, { image }] }) });
    failFlushes();
    await mkdir(join(folder, "pictures"));
    const { code, out, err } = await run("image cat --no-metadata --out pictures/", overNetwork());
    expect(code).toBe(12);
    const [first = "", second = ""] = out.split("\n");
    expect([first, second].map(dirname)).toEqual([folder, join(folder, "pictures")]);
    expect(err).toContain("input/output error");
    expect(pathAfter("Saved to ", err)).toBe(first);
    expect(await Promise.all([first, second].map((path) => readFile(path)))).toEqual([png, png]);
  });

  test("and -o json prints only the error document, which has the path", async () => {
    const remove = ({ folder }: Cli) => rm(join(folder, "sounds"), { recursive: true });
    const { run, folder } = await meanwhile(remove, { audio: base64(wav) });
    await mkdir(join(folder, "sounds"));
    const { code, out, err } = await run("tts hi --out sounds/hi.wav -o json", overNetwork());
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const { error } = JSON.parse(err);
    expect(error).toMatchObject({ code: "STORED_ELSEWHERE", exitCode: 1 });
    expect(await readFile(pathAfter("Saved to ", error.message))).toEqual(wav);
  });

  test("and the paths of all pictures are printed, and the exit code is 12, if one of several pictures is affected", async () => {
    let left = 1;
    const remove = async ({ folder }: Cli) => {
      left -= 1;
      if (left < 0) await rm(join(folder, "pictures"), { recursive: true, force: true });
    };
    const { run, folder } = await meanwhile(remove, { images: [{ image: base64(pcm) }] });
    await mkdir(join(folder, "pictures"));
    const { code, out, err } = await run(
      "image cat -n 2 --concurrency 1 --out pictures/cat.raw",
      overNetwork(),
    );
    const [first = "", second = ""] = out.split("\n");
    expect({ code, first }).toEqual({ code: 12, first: join(folder, "pictures/cat-1.raw") });
    expect(err).toContain("1 of 2 images failed\n  image 2: could not save");
    expect(await readFile(second)).toEqual(pcm);
  });

  test("under the next free name if the file was created meanwhile", async () => {
    const { run, folder } = await meanwhile(({ folder }) => writeFile(join(folder, "hi.wav"), "mine"), {
      audio: base64(wav),
    });
    const { code, out } = await run("tts hi --out hi.wav", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: `${join(folder, "hi-2.wav")}\n` });
    expect(await readFile(join(folder, "hi.wav"), "utf8")).toBe("mine");
  });

  const chatReply = { choices: [{ message: { content: "Hello there." }, finish_reason: "stop" }] };
  test.each([
    [
      "image cat --out - --no-metadata",
      { images: [{ image: base64(tinyPng()) }] },
      "png",
      Buffer.from(tinyPng()),
    ],
    ["tts hi --out -", { audio: base64(wav) }, "wav", wav],
    ["tts hi --out -", { audio: base64(pcm) }, "bin", pcm],
    ["chat hi -m llama", chatReply, "txt", Buffer.from("Hello there.\n")],
    ["chat hi -m llama --no-stream", chatReply, "txt", Buffer.from("Hello there.\n")],
    ["chat hi -m llama -o jsonl", chatReply, "json", Buffer.from(`${JSON.stringify(chatReply)}\n`)],
  ])("if writing to stdout fails: %s", async (line, body, ext, expected) => {
    const { run, folder } = await createCli({ respond: always(200, body) });
    const { code, err } = await run(line, { ...overNetwork(), writeFails: full });
    expect(code).toBe(1);
    expect(err).toContain("the result cannot be written: ENOSPC: no space left on device");
    const path = pathAfter("Saved to ", err);
    expect(path).toMatch(new RegExp(`-result\\.${ext}$`));
    expect(dirname(path)).toBe(folder);
    expect(await readFile(path)).toEqual(expected);
  });

  test("if writing a long result of --jq to stdout fails", async () => {
    const content = Array.from({ length: 60_000 }, (_, index) => `word${index}`).join(" ");
    const reply = { choices: [{ message: { content }, finish_reason: "stop" }] };
    const { run } = await createCli({ respond: always(200, reply) });
    const line = "chat hi -m llama -o json --jq .choices[0].message.content";
    const { code, err } = await run(line, { ...overNetwork(), writeFails: full });
    expect(code).toBe(1);
    expect(await readFile(pathAfter("Saved to ", err), "utf8")).toBe(`${content}\n`);
  });

  test("but not a second time if writing its path to stdout fails; the error has the path", async () => {
    const { run, folder } = await speaker(wav);
    const { code, err } = await run("tts hi --out hi.wav", { ...overNetwork(), writeFails: full });
    expect(code).toBe(1);
    expect(err).toContain(join(folder, "hi.wav"));
    expect(await readdir(folder)).toEqual(["hi.wav"]);
  });

  test("if --jq fails", async () => {
    const { run } = await createCli({ respond: always(200, chatReply) });
    const { code, out, err } = await run(["chat", "hi", "-m", "llama", "--jq", 'error("no")'], overNetwork());
    expect({ code, out }).toEqual({ code: 7, out: "" });
    const { hint } = JSON.parse(err).error;
    expect(JSON.parse(await readFile(pathAfter("The result was saved to ", hint), "utf8"))).toEqual(
      chatReply,
    );
  });

  test("in the temporary folder if the current folder is not there; if that fails too, the error says that the result is lost", async () => {
    const replace = async ({ folder }: Cli) => {
      await rm(folder, { recursive: true, force: true });
      await writeFile(folder, "");
    };
    const one = await meanwhile(replace, { audio: base64(wav) });
    const kept = await one.run("tts hi --out hi.wav", overNetwork());
    expect(kept).toMatchObject({ code: 1, out: "" });
    const path = pathAfter("Saved to ", kept.err);
    expect(dirname(path)).toBe(temporaryFolder(one.folder));
    expect(await readFile(path)).toEqual(wav);

    const other = await meanwhile(
      async (cli) => {
        await replace(cli);
        await writeFile(temporaryFolder(cli.folder), "");
      },
      { audio: base64(wav) },
    );
    const lost = await other.run("tts hi --out hi.wav -o json", overNetwork());
    expect(JSON.parse(lost.err).error).toMatchObject({ code: "RESULT_LOST", exitCode: 1 });
  });
});

describe("a result is kept if the request has values of the wrong type", () => {
  const png = Buffer.from(tinyPng());

  test.each(["5", "null", "[5]", '{"toString":1}'])("by tts with the text %s", async (value) => {
    const cli = await createCli({ respond: always(200, { audio: base64(wav) }) });
    const line = ["tts", "--no-validate", "--param", `text=${value}`];
    const { code, out, requests } = await cli.run(line, overNetwork());
    expect({ code, bodies: requests.map(({ body }) => body) }).toEqual({
      code: 0,
      bodies: [{ text: JSON.parse(value) }],
    });
    expect(await readFile(out.trimEnd())).toEqual(wav);
  });

  test.each([
    { width: { toString: 1 }, height: [5], steps: null },
    { seed: { toString: 1 }, model_name: 5, cfg_scale: "x" },
  ])("by image with the settings %j of another image", async (settings) => {
    const cli = await createCli({ respond: always(200, { images: [{ image: base64(png) }] }) });
    await writeFile(join(cli.folder, "old.png"), withPngText(png, { prompt: "cat", ...settings }, "1.0.0"));
    const { code, out } = await cli.run("image --from old.png --no-validate", overNetwork());
    expect(code).toBe(0);
    expect((await readFile(out.trimEnd())).subarray(0, png.length - 12)).toEqual(png.subarray(0, -12));
  });

  test("by image, which does not change a seed that is a string", async () => {
    const cli = await createCli({ respond: always(200, { images: [{ image: base64(png) }] }) });
    await writeFile(join(cli.folder, "old.png"), withPngText(png, { prompt: "cat", seed: "7" }, "1.0.0"));
    const { requests } = await cli.run("image --from old.png --no-validate", overNetwork());
    expect(requests.map(({ body }) => body)).toMatchObject([{ seed: "7" }]);
  });

  test.each([
    ["model=5", "hi"],
    ['model={"toString":1}', "hi"],
    ["messages=5", ""],
    ["messages=[null]", ""],
    ['messages=[{"role":"user","content":5}]', "5"],
  ])("by chat with %s, and --continue sends the kept answer", async (param, question) => {
    const answer = { message: { role: "assistant", content: "the answer" }, finish_reason: "stop" };
    const cli = await createCli({ respond: always(200, { choices: [{ index: 0, ...answer }] }) });
    const line = ["chat", "hi", "-m", "llama", "--no-stream", "--no-validate", "--param", param];
    expect(await cli.run(line, overNetwork())).toMatchObject({ code: 0, out: "the answer\n", err: "" });
    const next = await cli.run("chat again -m llama --no-stream --continue", overNetwork());
    expect(next).toMatchObject({ code: 0, err: "" });
    expect(next.requests.map(({ body }) => body)).toMatchObject([
      {
        messages: [
          { role: "user", content: question },
          { role: "assistant", content: "the answer" },
          { role: "user", content: "again" },
        ],
      },
    ]);
  });
});
