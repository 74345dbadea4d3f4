import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { always, overNetwork } from "../support/service.ts";

const wav = Buffer.concat([
  Buffer.from("RIFF"),
  Buffer.from([32, 0, 0, 0]),
  Buffer.from("WAVEfmt "),
  Buffer.alloc(24),
]);
const mp3 = Buffer.concat([Buffer.from("ID3"), Buffer.from([4, 0, 0, 0, 0, 0, 0]), Buffer.alloc(16)]);
/** A CLI whose service returns these bytes as the recording: the audio file of the spoken text. */
const recording = (bytes: Buffer) => createCli({ respond: always(200, { audio: bytes.toString("base64") }) });

describe("tts", () => {
  test("saves the recording and prints its path", async () => {
    const { run, folder } = await recording(wav);
    const { code, out, requests } = await run(
      'tts "Your GPU is ready." --speed 0.8 --out ready.wav',
      overNetwork(),
    );
    expect(code).toBe(0);
    expect(requests[0]).toMatchObject({
      path: "/v1/audio/generation",
      body: { text: "Your GPU is ready.", speed: 0.8 },
    });
    expect(out).toBe(`${join(folder, "ready.wav")}\n`);
    expect(await readFile(join(folder, "ready.wav"))).toEqual(wav);
  });

  test.each(["5", "null", "[1]", '{"a":1}'])("saves the recording if the field text is %s", async (text) => {
    const { run } = await recording(wav);
    const { code, out } = await run(["tts", "--no-validate", "--param", `text=${text}`], overNetwork());
    expect(code).toBe(0);
    expect(await readFile(out.trimEnd())).toEqual(wav);
  });

  test("takes the text from the argument, a file or stdin", async () => {
    const { run, folder } = await recording(wav);
    await writeFile(join(folder, "text.txt"), "from a file");
    expect((await run("tts word", overNetwork())).requests[0]?.body).toEqual({ text: "word" });
    expect((await run("tts --file text.txt", overNetwork())).requests[0]?.body).toEqual({
      text: "from a file",
    });
    for (const stdin of [Buffer.from("h\0i\0"), Buffer.from([0xe9, 0x20])]) {
      for (const line of ["tts", "tts --file -"]) {
        const { code, err, requests } = await run(line, { ...overNetwork(), stdin });
        expect({ code, requests }, err).toEqual({ code: 2, requests: [] });
        expect(err).toMatch(/is not text in UTF-8\n.*Nothing was sent\./);
      }
    }
    const piped = await run("tts", { ...overNetwork(), stdin: "from a pipe\n" });
    expect(piped.requests[0]?.body).toEqual({ text: "from a pipe" });
    const dash = await run("tts --file -", { ...overNetwork(), stdin: "dash" });
    expect(dash.requests[0]?.body).toEqual({ text: "dash" });
    expect(await run("tts word --file text.txt", overNetwork())).toMatchObject({ code: 2, requests: [] });
    expect(await run("tts", overNetwork())).toMatchObject({ code: 2, requests: [] });
    expect(await run(["tts", "  "], overNetwork())).toMatchObject({ code: 2, requests: [] });
  });

  test("sends the fields of --param, and rejects invalid values", async () => {
    const { run } = await recording(wav);
    const { requests } = await run(
      ["tts", "Hi", "--param", 'language="EN"', "--param", "sdp_ratio=0.2"],
      overNetwork(),
    );
    expect(requests[0]?.body).toEqual({ text: "Hi", language: "EN", sdp_ratio: 0.2 });
    for (const param of ["language=EN", "=1", "x"]) {
      expect(await run(["tts", "Hi", "--param", param], overNetwork())).toMatchObject({
        code: 2,
        requests: [],
      });
    }
  });

  test("saves the recording with the extension of its format", async () => {
    const { run, folder } = await recording(mp3);
    const { out, err } = await run("tts Hi --out hi.wav", overNetwork());
    expect(out).toBe(`${join(folder, "hi.mp3")}\n`);
    expect(err).toContain("audio/mpeg");
    expect((await run("tts Hi", overNetwork())).out).toMatch(/2026-11-20-\d{6}-hi\.mp3\n$/);
  });

  test("writes the recording to stdout with --out -, but not to a terminal", async () => {
    const { run } = await recording(wav);
    expect((await run("tts Hi --out -", overNetwork())).bytes).toEqual(wav);
    expect(await run("tts Hi --out -", { ...overNetwork(), terminal: 80 })).toMatchObject({
      code: 2,
      requests: [],
    });
  });

  test("prints the path, the size, the hash and the request with -o json", async () => {
    const { run, folder } = await recording(wav);
    const { out } = await run("tts Hi --out hi.wav -o json", overNetwork());
    expect(JSON.parse(out)).toEqual({
      path: join(folder, "hi.wav"),
      bytes: wav.length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      request: { text: "Hi" },
    });
  });

  test.each([[{ audio: "" }], [{ audio: "****" }], [{}], [null], [{ audio: null }]])(
    "exits with 7 and saves no recording if the response is %j",
    async (body) => {
      const { run, folder } = await createCli({ respond: always(200, body) });
      const { code, out } = await run("tts Hi --out hi.wav", overNetwork());
      expect({ code, out }).toEqual({ code: 7, out: "" });
      expect(await readdir(folder)).not.toContain("hi.wav");
    },
  );
});

test("tts saves the recording if the response repeats the field audio with null", async () => {
  const bytes = Buffer.from("OggS sound");
  const body = `{"audio":"${bytes.toString("base64")}","audio":null}`;
  const { run } = await createCli({ respond: () => new Response(body) });
  const { code, out } = await run("tts Hello", overNetwork());
  expect(code).toBe(0);
  expect(await readFile(out.trimEnd())).toEqual(bytes);
});

test.each([
  ["saved", "--out a.wav", "a.wav"],
  ["written to stdout", "--out -", undefined],
])(
  "tts uses the last recording (%s) if the response has the field audio twice, and saves the first in another file",
  async (_, flags, path) => {
    const [first, last] = [wav, Buffer.concat([wav, Buffer.from("data")])].map((bytes) =>
      bytes.toString("base64"),
    );
    const { run, folder } = await createCli({
      respond: () => new Response(`{"audio":"${first}","audio":"${last}"}`),
    });
    const { code, bytes, err } = await run(`tts Hi ${flags}`, overNetwork());
    expect(code).toBe(0);
    const [kept = ""] = /(?<=^The response has another audio file, saved as ).*/m.exec(err) ?? [];
    expect((await readFile(kept)).toString("base64")).toBe(first);
    const used = path === undefined ? bytes : await readFile(join(folder, path));
    expect(used.toString("base64")).toBe(last);
  },
);
