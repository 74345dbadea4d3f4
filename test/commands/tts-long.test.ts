import { mkdir, readdir, readFile, rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Cli, createCli, type Responder, type SeenRequest } from "../support/cli.ts";
import { fillDisk } from "../support/full-disk.ts";
import { overNetwork } from "../support/service.ts";
import { mp3Frame, samplesOf, wav } from "../support/sound.ts";

/** With `--part-length 20`, each sentence is a part. */
const sentences = ["Here is number one.", "Here is number two.", "Here is three now.", "This is the fourth."];
const text = sentences.join(" ");
const line = ["tts", text, "--part-length", "20", "--out", "talk.wav"];

const spokenText = ({ body }: SeenRequest): string => (body as { text: string }).text;
const sound = (bytes: Uint8Array) => Response.json({ audio: Buffer.from(bytes).toString("base64") });
/** A recording whose samples are the bytes of the text, so that the order of the parts can be checked. */
const spoken = (one: string) => wav(Buffer.from(one.padEnd(20)));
const voice: Responder = (request) => sound(spoken(spokenText(request)));
const whole = wav(Buffer.from(sentences.map((one) => one.padEnd(20)).join("")));

const failing = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ code: "FAILED", message: "it failed", issues: [] }, { status, headers });

/** A service that returns speech for each text, unless `otherwise` returns another response. */
const voiceBut = (otherwise: (one: string) => Response | undefined | Promise<Response>): Responder => {
  return async (request) => (await otherwise(spokenText(request))) ?? voice(request);
};

const texts = (requests: readonly SeenRequest[]) => requests.map(spokenText).sort();
const folders = async ({ folder }: Pick<Cli, "folder">) =>
  (await readdir(folder)).filter((name) => name.includes("-parts-"));

describe("tts with a long text", () => {
  test("requests the text in parts, joins them in order and saves one file", async () => {
    const cli = await createCli({ respond: voice });
    const { code, out, requests } = await cli.run(line, overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: `${join(cli.folder, "talk.wav")}\n` });
    expect(texts(requests)).toEqual([...sentences].sort());
    expect(await readFile(join(cli.folder, "talk.wav"))).toEqual(whole);
    expect(await readdir(cli.folder)).toEqual(["talk.wav"]);
  });

  test("fails and sends nothing if a folder has the name of a saved part", async () => {
    const cli = await createCli({
      respond: voiceBut((one) => (one === sentences[3] ? failing(500) : undefined)),
    });
    await cli.run(line, overNetwork());
    const [parts = ""] = await folders(cli);
    const [part = ""] = (await readdir(join(cli.folder, parts))).filter((name) => name.endsWith(".wav"));
    const path = join(cli.folder, parts, part);
    await rm(path);
    await mkdir(path);
    const { code, err, requests } = await cli.run(line, overNetwork());
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(`${path} is not a regular file`);
  });

  test("from a file sends the settings in every request", async () => {
    const cli = await createCli({ respond: voice });
    await writeFile(join(cli.folder, "talk.txt"), `${text}\n`);
    const flags = ["--speed", "0.8", "--param", 'language="EN"', "--part-length", "20", "-o", "json"];
    const { code, out, requests } = await cli.run(["tts", "--file", "talk.txt", ...flags], overNetwork());
    expect(code).toBe(0);
    expect(requests).toHaveLength(4);
    for (const { body } of requests) expect(body).toMatchObject({ speed: 0.8, language: "EN" });
    expect(JSON.parse(out)).toMatchObject({
      path: expect.stringMatching(/here-is-number-one.*\.wav$/),
      bytes: whole.length,
      request: { text: `${text}\n`, speed: 0.8 },
    });
  });

  test("sends at most --concurrency requests at once", async () => {
    let most = 0;
    const waiting: (() => void)[] = [];
    const respond: Responder = async (request) => {
      const pair = new Promise<void>((resolve) => void waiting.push(resolve));
      most = Math.max(most, waiting.length);
      // Responds to two requests together, after gpuctl has had time to send further requests.
      if (waiting.length === 2) setImmediate(() => void waiting.splice(0).map((respondTo) => respondTo()));
      await pair;
      return voice(request);
    };
    const { run } = await createCli({ respond });
    expect(await run([...line, "--concurrency", "2"], overNetwork())).toMatchObject({ code: 0 });
    expect(most).toBe(2);
  });

  test("requests a repeated sentence only once", async () => {
    const cli = await createCli({ respond: voice });
    const song = [sentences[0], sentences[1], sentences[0]].join(" ");
    const { code, requests } = await cli.run(["tts", song, ...line.slice(2)], overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: 0, sent: 2 });
    expect(samplesOf(await readFile(join(cli.folder, "talk.wav"))).length).toBe(60);
  });

  test("writes the joined recording to stdout with --out -", async () => {
    const cli = await createCli({ respond: voice });
    const { code, bytes } = await cli.run([...line.slice(0, 4), "--out", "-"], overNetwork());
    expect({ code, bytes }).toEqual({ code: 0, bytes: whole });
    expect(await readdir(cli.folder)).toEqual(["state"]);
    expect(await readdir(join(cli.folder, "state", "speech"))).toEqual([]);
  });

  test("with --out - and without a state folder, names the variable for it", async () => {
    const cli = await createCli({ respond: voice });
    await writeFile(join(cli.folder, "state"), "a file");
    const outcome = await cli.run([...line.slice(0, 4), "--out", "-"], overNetwork());
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.err).toMatch(/^Error: the state folder .* cannot be created: .*\n.*GPUCTL_STATE_DIR/);
  });

  test("saves MP3 with the right extension", async () => {
    const cli = await createCli({ respond: () => sound(mp3Frame(7)) });
    const { out, err } = await cli.run(line, overNetwork());
    expect(out).toBe(`${join(cli.folder, "talk.mp3")}\n`);
    expect(err).toContain("The response is MP3, so it was saved as");
    expect((await readFile(join(cli.folder, "talk.mp3"))).length).toBe(4 * 417);
  });

  test("shows on a terminal how many parts are done", async () => {
    const { run } = await createCli({ respond: voice });
    const { shown } = await run(line, { ...overNetwork(), terminal: 80 });
    expect(shown).toEqual([0, 1, 2, 3, 4].map((done) => `Generating speech: ${done} of 4 parts`));
  });

  test("says once that budget.maxCost cannot be checked", async () => {
    const { run } = await createCli({ respond: voice });
    const options = overNetwork();
    await run("config set budget.maxCost 1", options);
    const { err } = await run(line, options);
    expect(err.match(/budget\.maxCost/g)).toHaveLength(1);
  });

  test("shows every request in a dry run, and sends none", async () => {
    const { run } = await createCli();
    const { code, out, requests } = await run([...line, "--dry-run", "-o", "json"], overNetwork());
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    for (const one of sentences) expect(out).toContain(one);
  });

  test("sends nothing if the disk is full", async () => {
    const { run } = await createCli({ respond: voice });
    const free = fillDisk("parts.lock");
    const { code, err, requests } = await run(line, overNetwork());
    expect({ code, requests }, err).toEqual({ code: 2, requests: [] });
    expect(err).toMatch(/cannot save .*: no space left on the disk\n/);
    expect(err).not.toContain("bug");
    free();
    expect((await run(line, overNetwork())).code).toBe(0);
  });

  test("works in the sandbox", async () => {
    const cli = await createCli();
    const { code, out } = await cli.run([
      "tts",
      "Your GPU is ready. It is yours.",
      "--part-length",
      "20",
      "--sandbox",
    ]);
    expect(code).toBe(0);
    expect(samplesOf(await readFile(out.trimEnd())).length).toBeGreaterThan(16_000);
  });
});

describe("tts with a long text, after a failure", () => {
  test.each([
    ["refused", () => failing(400), 12, "it failed"],
    ["of unknown outcome", () => failing(500), 10, "the outcome is unknown: the service responded 500"],
    ["empty", () => Response.json({ audio: "" }), 12, "the response contains no audio"],
    ["not base64", () => Response.json({ audio: "****" }), 12, "the response cannot be decoded"],
    ["truncated", () => sound(whole.subarray(0, 60)), 12, "the audio is truncated"],
  ])("when it is repeated, requests only the part that was %s", async (_, response, code, message) => {
    let broken = true;
    const respond = voiceBut((one) => (broken && one === sentences[1] ? response() : undefined));
    const cli = await createCli({ respond });
    const first = await cli.run(line, overNetwork());
    expect(first).toMatchObject({ code, out: "" });
    expect(first.requests).toHaveLength(4);
    expect(first.err).toContain(`Error: 1 of 4 parts are missing\n  part 2: ${message}`);
    const [folder = ""] = await folders(cli);
    expect(first.err).toContain(
      `3 of 4 parts are kept in ${join(cli.folder, folder)}. Run the same command again`,
    );
    expect(await readdir(cli.folder)).not.toContain("talk.wav");

    broken = false;
    const second = await cli.run(line, overNetwork());
    expect({ code: second.code, texts: texts(second.requests) }).toEqual({
      code: 0,
      texts: [sentences[1]],
    });
    expect(second.err).toContain("3 of 4 parts are already there");
    expect(await readFile(join(cli.folder, "talk.wav"))).toEqual(whole);
    expect(await folders(cli)).toEqual([]);
  });

  test.each([[{ audio: "" }], [{ audio: "****" }]])(
    "saves the unusable response %j of a part and prints its path",
    async (body) => {
      const cli = await createCli({
        respond: voiceBut((one) => (one === sentences[2] ? Response.json(body) : undefined)),
      });
      const { err } = await cli.run(line, overNetwork());
      const [, path = ""] = /The response was saved to (\S+)\.(?:\s|$)/.exec(err) ?? [];
      expect(JSON.parse(await readFile(path, "utf8"))).toEqual(body);
    },
  );

  test("saves a truncated part unchanged and prints its path", async () => {
    const cut = whole.subarray(0, 60);
    const cli = await createCli({
      respond: voiceBut((one) => (one === sentences[2] ? sound(cut) : undefined)),
    });
    const { err } = await cli.run(line, overNetwork());
    const [, path = ""] = /part 3: the audio is truncated\. Saved to (\S+),/.exec(err) ?? [];
    expect(path).toMatch(/-truncated\.wav$/);
    expect(await readFile(path)).toEqual(cut);
    const [parts = ""] = await folders(cli);
    expect((await readdir(join(cli.folder, parts))).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("saves the first of two audio files in a response even if the last one, which is used, is truncated", async () => {
    const [cut, other] = [whole.subarray(0, 60), spoken("the other one")];
    const audio = [other, cut].map((one) => `"audio":"${Buffer.from(one).toString("base64")}"`).join(",");
    const cli = await createCli({
      respond: voiceBut((one) =>
        one === sentences[2]
          ? new Response(`{${audio}}`, { headers: { "content-type": "application/json" } })
          : undefined,
      ),
    });
    const { code, err } = await cli.run(line, overNetwork());
    expect(code).toBe(12);
    expect(err).toContain("part 3: the audio is truncated.");
    const [, path = ""] = /The response has another audio file, saved as (\S+)/.exec(err) ?? [];
    expect(await readFile(path)).toEqual(Buffer.from(other));
  });

  test("exits with the code of the failure if it is the same for all parts", async () => {
    const { run } = await createCli({ respond: () => failing(400) });
    expect(await run(line, overNetwork())).toMatchObject({ code: 6 });
  });

  test("sends no more requests after a response of 401", async () => {
    const cli = await createCli({ respond: () => failing(401) });
    const { code, err, requests } = await cli.run([...line, "--concurrency", "1"], overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: 3, sent: 1 });
    expect(err).toContain("gpuctl auth status");
    expect(await folders(cli)).toEqual([]);
  });

  test("sends no more requests after unknown outcomes of two parts in a row", async () => {
    const { run } = await createCli({ respond: () => failing(503) });
    const { code, err, requests } = await run([...line, "--concurrency", "1"], overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: 10, sent: 2 });
    expect(err).toContain("2 parts: not tried, because part 2 failed");
  });

  test.each([
    ["empty", 0],
    ["truncated", 50],
  ])("requests a part again if its saved file is %s", async (_, length) => {
    let broken = true;
    const cli = await createCli({
      respond: voiceBut((one) => (broken && one === sentences[3] ? failing(400) : undefined)),
    });
    await cli.run(line, overNetwork());
    broken = false;
    const [parts = ""] = await folders(cli);
    const [name = ""] = await readdir(join(cli.folder, parts));
    await truncate(join(cli.folder, parts, name), length);
    const { code, err, requests } = await cli.run(line, overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: 0, sent: 2 });
    expect(err).toContain("2 of 4 parts are already there");
    expect(await readFile(join(cli.folder, "talk.wav"))).toEqual(whole);
    expect(await folders(cli)).toEqual([]);
  });

  test("requests only the changed parts of an edited text", async () => {
    const respond = voiceBut((one) => (one === sentences[3] ? failing(400) : undefined));
    const cli = await createCli({ respond });
    await cli.run(line, overNetwork());
    const edited = text.replace("number two", "number 2").replace("fourth", "4th");
    const { code, err, requests } = await cli.run(["tts", edited, ...line.slice(2)], overNetwork());
    expect({ code, texts: texts(requests) }).toEqual({
      code: 0,
      texts: ["Here is number 2.", "This is the 4th."],
    });
    const [folder = ""] = await folders(cli);
    const path = join(cli.folder, folder);
    expect(err).toContain(`1 part of another text is kept in ${path}. Delete the folder if you`);
    expect(await readdir(path)).toHaveLength(1);
  });

  test.each([
    ["another speed", ["--speed", "2"], {}],
    ["another field", ["--param", "voice=1"], {}],
    ["another service", [], { GPUCTL_BASE_URL: "https://other.example.com" }],
  ])("requests all parts again with %s", async (_, flags, env) => {
    let broken = true;
    const cli = await createCli({
      respond: voiceBut((one) => (broken && one === sentences[3] ? failing(400) : undefined)),
    });
    await cli.run(line, overNetwork());
    broken = false;
    const { code, requests } = await cli.run([...line, ...flags], overNetwork(env));
    expect({ code, sent: requests.length }).toEqual({ code: 0, sent: 4 });
    expect(await folders(cli)).toHaveLength(1);
  });

  test("joins the saved parts without a request if the joined file could not be saved", async () => {
    let folder = "";
    const cli = await createCli({
      respond: async (request) => {
        await mkdir(join(folder, "talk.wav", "full"), { recursive: true });
        return voice(request);
      },
    });
    ({ folder } = cli);
    const first = await cli.run([...line, "--force"], overNetwork());
    expect({ code: first.code, out: first.out }).toEqual({ code: 1, out: "" });
    expect(first.err).toContain(`cannot save ${join(folder, "talk.wav")}`);
    expect(first.err).toContain("4 of 4 parts are kept in");
    await rm(join(folder, "talk.wav"), { recursive: true });
    expect(await cli.run(line, overNetwork())).toMatchObject({ code: 0, requests: [] });
    expect(await readFile(join(folder, "talk.wav"))).toEqual(whole);
  });

  test("saves a part elsewhere if the folder of the parts cannot be created again, and requests no part that was moved into it", async () => {
    let cli: Cli | undefined;
    const respond: Responder = async (request) => {
      if (cli) {
        const [parts = ""] = await folders(cli);
        // The folder cannot be created again, because a file now has its name.
        await rm(join(cli.folder, parts), { recursive: true });
        await writeFile(join(cli.folder, parts), "");
      }
      return voice(request);
    };
    cli = await createCli({ respond });
    const { code, err } = await cli.run([...line, "--concurrency", "1"], overNetwork());
    expect(code).toBe(1);
    const [, path = "", wanted = ""] =
      /Saved to (\S+) instead, because you were charged for it\. Move it to (\S+), or you pay for this part again\./.exec(
        err,
      ) ?? [];
    expect(await readFile(path)).toEqual(spoken(sentences[0] ?? ""));
    await rm(dirname(wanted));
    await mkdir(dirname(wanted));
    await rename(path, wanted);
    const again = await createCli({ respond: voice, folder: cli.folder });
    const { requests } = await again.run([...line, "--concurrency", "1"], overNetwork());
    expect(requests).toHaveLength(sentences.length - 1);
  });

  test("keeps the finished parts after Ctrl-C", async () => {
    const controller = new AbortController();
    const cli = await createCli({
      respond: voiceBut((one) => {
        if (one !== sentences[2] || controller.signal.aborted) return undefined;
        controller.abort();
        return new Promise<Response>(() => {});
      }),
    });
    const options = { ...overNetwork(), signal: controller.signal };
    const { code, err } = await cli.run([...line, "--concurrency", "1"], options);
    expect(code).toBe(130);
    expect(err).toContain("2 of 4 parts are kept");
    expect(err).toContain("part 4: interrupted before the request");
    const second = await cli.run(line, overNetwork());
    expect({ code: second.code, texts: texts(second.requests) }).toEqual({
      code: 0,
      texts: sentences.slice(2),
    });
  });
});

describe("tts with parts that cannot be joined", () => {
  test("saves the parts as files, and exits with 1", async () => {
    const ogg = (one: string) => Buffer.from(`OggS ${one}`);
    const cli = await createCli({ respond: (request) => sound(ogg(spokenText(request))) });
    const { code, out, err } = await cli.run(line, overNetwork());
    const paths = [1, 2, 3, 4].map((number) => join(cli.folder, `talk-${number}.ogg`));
    expect({ code, out }).toEqual({ code: 1, out: paths.map((path) => `${path}\n`).join("") });
    expect(err).toContain(
      `Error: the parts cannot be joined: gpuctl joins WAV and MP3 files, not OGG. They were saved as 4 files, from ${paths[0]} to ${paths[3]}.`,
    );
    expect(err).toContain(
      "All parts were saved unchanged. Running the same command again would request all parts again.",
    );
    expect(err).not.toContain("parts are kept");
    expect(await readFile(paths[1] ?? "")).toEqual(ogg("Here is number two."));
    expect(await folders(cli)).toEqual([]);
  });

  test("keeps every part with --force, even if a template gives them all the same name", async () => {
    const ogg = (one: string) => Buffer.from(`OggS ${one}`);
    const cli = await createCli({ respond: (request) => sound(ogg(spokenText(request))) });
    await writeFile(join(cli.folder, "talk.ogg"), "old");
    const { code } = await cli.run([...line.slice(0, 5), "talk.{ext}", "--force"], overNetwork());
    expect(code).toBe(1);
    const names = ["talk.ogg", "talk-2.ogg", "talk-3.ogg", "talk-4.ogg"];
    const kept = await Promise.all(names.map((name) => readFile(join(cli.folder, name))));
    expect(kept).toEqual(sentences.map(ogg));
  });

  test("with --force, replaces no file that the user did not name", async () => {
    const cli = await createCli({ respond: () => sound(Buffer.from("OggS")) });
    for (const name of ["talk.ogg", "talk-1.ogg"]) await writeFile(join(cli.folder, name), "mine");
    expect(await cli.run([...line, "--force"], overNetwork())).toMatchObject({ code: 1 });
    for (const name of ["talk.ogg", "talk-1.ogg"]) {
      expect(await readFile(join(cli.folder, name), "utf8"), name).toBe("mine");
    }
  });

  test("saves invalid parts as files", async () => {
    const cut = Buffer.from("RIFF\x0c\0\0\0WAVEds64\0\0\0\0", "latin1");
    const cli = await createCli({ respond: () => sound(cut) });
    const { code, err } = await cli.run(line, overNetwork());
    expect(code).toBe(1);
    expect(err).toContain("the parts cannot be joined: a WAV file with an incomplete ds64 chunk.");
    const names = await readdir(cli.folder);
    expect(names.sort()).toEqual([1, 2, 3, 4].map((part) => `talk-${part}.wav`));
  });

  test("saves parts with different formats, and names the difference", async () => {
    const respond = voiceBut((one) =>
      one === sentences[1] ? sound(wav(Buffer.from(one), { rate: 16_000 })) : undefined,
    );
    const { run } = await createCli({ respond });
    const { code, err } = await run(line, overNetwork());
    expect(code).toBe(1);
    expect(err).toContain(
      "part 1 is WAV (16-bit PCM, 1 channel, 8000 Hz), and part 2 is WAV (16-bit PCM, 1 channel, 16000 Hz)",
    );
  });

  test("saves the parts as files with --out -, and writes nothing to stdout", async () => {
    const cli = await createCli({ respond: () => sound(Buffer.from("fLaC")) });
    const { code, out, err } = await cli.run([...line.slice(0, 5), "-"], overNetwork());
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).not.toContain("parts are kept");
    expect((await readdir(cli.folder)).filter((name) => name.endsWith(".flac"))).toHaveLength(4);
  });
});

describe("tts after a response of 429", () => {
  test("sends the refused requests again after the delay that the service asks for", async () => {
    let refused = 0;
    const respond = voiceBut(() => (refused++ < 2 ? failing(429, { "retry-after": "7" }) : undefined));
    const cli = await createCli({ respond });
    const { code, requests, slept } = await cli.run([...line, "--concurrency", "2"], overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: 0, sent: 6 });
    expect(new Set(slept)).toEqual(new Set([7000]));
    expect(await readFile(join(cli.folder, "talk.wav"))).toEqual(whole);
  });

  test("keeps the finished parts and exits with 12 if the responses stay 429", async () => {
    let served = 0;
    const respond = voiceBut(() => (served++ < 2 ? undefined : failing(429)));
    const { run } = await createCli({ respond });
    const { code, err, slept } = await run([...line, "--concurrency", "1"], overNetwork());
    expect({ code, waits: slept.length }).toEqual({ code: 12, waits: 8 });
    expect(err).toContain("2 of 4 parts are kept");
  });

  test.each(["1", "3"])(
    "exits with 9 if every response is a 429, with %s requests at once",
    async (concurrency) => {
      const { run } = await createCli({ respond: () => failing(429) });
      const { code, err } = await run([...line, "--concurrency", concurrency, "-o", "json"], overNetwork());
      expect(code).toBe(9);
      expect(JSON.parse(err).error).toMatchObject({
        code: "FAILED",
        status: 429,
        retryable: true,
        hint: expect.stringContaining("Too many requests"),
        request: { method: "POST" },
      });
    },
  );

  test("fails at once if the service asks to wait longer than a minute", async () => {
    const { run } = await createCli({ respond: () => failing(429, { "retry-after": "3600" }) });
    const { code, slept, err } = await run(line, overNetwork());
    expect({ code, slept }).toEqual({ code: 9, slept: [] });
    expect(err).toContain("asks to wait 1h");
  });

  test("does not repeat the request if the text has only one part", async () => {
    const { run } = await createCli({ respond: () => failing(429, { "retry-after": "1" }) });
    expect(await run("tts Hello", overNetwork())).toMatchObject({ code: 9, slept: [] });
  });
});

test("tts fails and sends nothing while another process speaks the same text", async () => {
  let second: Promise<{ code: number; err: string; requests: readonly SeenRequest[] }> | undefined;
  const cli: Cli = await createCli({
    respond: async (request) => {
      second ??= cli.run(line, overNetwork());
      await second;
      return voice(request);
    },
  });
  expect(await cli.run(line, overNetwork())).toMatchObject({ code: 0 });
  expect(await second).toMatchObject({
    code: 2,
    requests: [],
    err: expect.stringContaining("another gpuctl process is speaking"),
  });
});

describe("tts with a long text keeps the parts of another text", () => {
  const shouted = sentences.map((one) => one.replace(".", "!"));
  const [last = "", lastShouted = ""] = [sentences[3], shouted[3]];

  test.each([
    ["a file with the same name", ["--file", "book1/talk.txt"], ["--file", "book2/talk.txt"]],
    ["a text with the same beginning", [text], [shouted.join(" ")]],
    ["a text for the same output", [text, "--out", "a.wav"], [shouted.join(" "), "--out", "a.wav"]],
    ["a text for another file type", [text, "--out", "a.wav"], [shouted.join(" "), "--out", "a.mp3"]],
    [
      "a file to stdout",
      ["--file", "book1/talk.txt", "--out", "-"],
      ["--file", "book2/talk.txt", "--out", "-"],
    ],
    ["a text to stdout", [text, "--out", "-"], [shouted.join(" "), "--out", "-"]],
  ])("when it speaks %s", async (_, one, other) => {
    let broken = true;
    const cli = await createCli({
      respond: voiceBut((spoken) => (broken && spoken === last ? failing(400) : undefined)),
    });
    for (const [book, content] of [
      ["book1", text],
      ["book2", shouted.join(" ")],
    ] as const) {
      await mkdir(join(cli.folder, book));
      await writeFile(join(cli.folder, book, "talk.txt"), content);
    }
    const run = (args: readonly string[]) => cli.run(["tts", ...args, "--part-length", "20"], overNetwork());
    expect(await run(one)).toMatchObject({ code: 12 });
    const second = await run(other);
    expect({ code: second.code, texts: texts(second.requests) }).toEqual({
      code: 0,
      texts: [...shouted].sort(),
    });
    expect(lastShouted).not.toBe(last);
    broken = false;
    const third = await run(one);
    expect({ code: third.code, texts: texts(third.requests) }).toEqual({ code: 0, texts: [last] });
    expect(await folders(cli)).toEqual([]);
  });
});

test("tts with a long text fails and sends nothing while another process writes the same speech to stdout", async () => {
  const toStdout = [...line.slice(0, 5), "-"];
  let second: Promise<unknown> | undefined;
  const cli = await createCli({ respond: voice });
  const write = async () => {
    second ??= cli.run(toStdout, overNetwork());
    await second;
  };
  const first = await cli.run(toStdout, { ...overNetwork(), messages: { read: nothing(), write } });
  expect({ code: first.code, bytes: first.bytes }).toEqual({ code: 0, bytes: whole });
  expect(await second).toMatchObject({
    code: 2,
    requests: [],
    err: expect.stringContaining("another gpuctl process is speaking"),
  });
  expect(await readdir(join(cli.folder, "state", "speech"))).toEqual([]);
});

async function* nothing(): AsyncGenerator<Uint8Array> {}

describe("tts with a long text, suspended while another process takes over its parts", () => {
  const oneByOne = [...line, "--concurrency", "1"];
  /** Changes the lock as if its process had been suspended for an hour and so had not renewed the lock. */
  const suspend = async (cli: Pick<Cli, "folder">) => {
    const [parts = ""] = await folders(cli);
    const earlier = Date.now() / 1000 - 3600;
    await utimes(join(cli.folder, parts, "parts.lock"), earlier, earlier);
  };

  test("sends no more requests when it continues, and keeps the part that it receives", async () => {
    let second: ReturnType<Cli["run"]> | undefined;
    const cli: Cli = await createCli({
      respond: async (request) => {
        if (spokenText(request) === sentences[1] && second === undefined) {
          await suspend(cli);
          second = cli.run(oneByOne, overNetwork());
          expect(await second).toMatchObject({ code: 0 });
        }
        return voice(request);
      },
    });
    const first = await cli.run(oneByOne, overNetwork());
    expect(first.requests.map(spokenText)).toEqual(sentences.slice(0, 2));
    expect((await second)?.requests.map(spokenText)).toEqual(sentences.slice(1));
    expect(first).toMatchObject({ code: 12, out: "" });
    expect(first.err).toContain("another gpuctl process took over");
    expect(first.err).toContain("1 of 4 parts are kept in");
    const [parts = ""] = await folders(cli);
    expect(await readdir(join(cli.folder, parts))).toHaveLength(1);
    expect(await readFile(join(cli.folder, "talk.wav"))).toEqual(whole);
  });

  test("does not make the other process request a part that has arrived in the meantime", async () => {
    let goOn = () => {};
    const resumed = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let runs = 0;
    let first: ReturnType<Cli["run"]> | undefined;
    let second: ReturnType<Cli["run"]> | undefined;
    const cli: Cli = await createCli({
      respond: async (request) => {
        const spoken = spokenText(request);
        if (spoken === sentences[0]) {
          runs += 1;
          if (runs === 1) return failing(400);
          goOn();
          await first;
        }
        if (spoken === sentences[1] && second === undefined) {
          await suspend(cli);
          second = cli.run(oneByOne, overNetwork());
          await resumed;
        }
        return voice(request);
      },
    });
    first = cli.run(oneByOne, overNetwork());
    expect((await first).requests.map(spokenText)).toEqual(sentences.slice(0, 2));
    const { code, requests } = (await second) ?? {};
    expect({ code, texts: requests?.map(spokenText) }).toEqual({
      code: 0,
      texts: [sentences[0], ...sentences.slice(2)],
    });
    expect(await readFile(join(cli.folder, "talk.wav"))).toEqual(whole);
    expect(await folders(cli)).toEqual([]);
  });

  test("removes no parts that the other process keeps for an edited text", async () => {
    const edited = "This is the 4th.";
    let broken = true;
    const cli = await createCli({
      respond: voiceBut((one) => (broken && one === edited ? failing(400) : undefined)),
    });
    const path = join(cli.folder, "talk.txt");
    const fromFile = ["tts", "--file", path, "--part-length", "20", "--out", "-"];
    let second: ReturnType<Cli["run"]> | undefined;
    const write = async () => {
      if (second !== undefined) return;
      await writeFile(path, [...sentences.slice(0, 3), edited].join(" "));
      await suspend({ folder: join(cli.folder, "state", "speech") });
      second = cli.run(fromFile, overNetwork());
      await second;
    };
    await writeFile(path, text);
    const first = await cli.run(fromFile, { ...overNetwork(), messages: { read: nothing(), write } });
    expect({ code: first.code, bytes: first.bytes }).toEqual({ code: 0, bytes: whole });
    expect((await second)?.err).toContain("3 of 4 parts are kept in");
    broken = false;
    const third = await cli.run(fromFile, overNetwork());
    expect({ code: third.code, texts: texts(third.requests) }).toEqual({ code: 0, texts: [edited] });
  });

  test("keeps a part even if only half of it had arrived before the suspension", async () => {
    const long = wav(Buffer.alloc(600_000, "a"));
    const json = Buffer.from(JSON.stringify({ audio: long.toString("base64") }));
    let second: ReturnType<Cli["run"]> | undefined;
    const cli: Cli = await createCli({
      respond: (request) => {
        if (spokenText(request) !== sentences[0] || second !== undefined) return voice(request);
        return new Response(
          new ReadableStream(
            {
              start: (stream) => stream.enqueue(json.subarray(0, 500_000)),
              pull: async (stream) => {
                await suspend(cli);
                second = cli.run(oneByOne, overNetwork());
                await second;
                stream.enqueue(json.subarray(500_000));
                stream.close();
              },
            },
            { highWaterMark: 0 },
          ),
          { headers: { "content-type": "application/json" } },
        );
      },
    });
    const first = await cli.run(oneByOne, overNetwork());
    expect(await second).toMatchObject({ code: 0 });
    expect(first).toMatchObject({ code: 12 });
    expect(first.err).toContain("1 of 4 parts are kept in");
    const [parts = ""] = await folders(cli);
    const [part = ""] = await readdir(join(cli.folder, parts));
    expect(await readFile(join(cli.folder, parts, part))).toEqual(long);
  });
});
