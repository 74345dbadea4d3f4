import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { joinSound } from "../../src/media/sound/join.ts";
import { CannotJoin, maxChunks } from "../../src/media/sound/sound.ts";
import { runProgram } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { fc, runs } from "../support/property.ts";
import { apeTag, id3v1, id3v2, mp3Frame, riffChunk, samplesOf, wav } from "../support/sound.ts";

/** Writes files with these contents, joins them, and returns the bytes of the result. */
async function joined(ext: string, ...files: readonly Buffer[]): Promise<Buffer> {
  const folder = await scratch();
  const { bytes, ext: joinedExt } = await joinSound(await written(folder, ext, files));
  expect(joinedExt).toBe(ext);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-sound-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function written(folder: string, ext: string, files: readonly Buffer[]): Promise<readonly string[]> {
  const paths = files.map((_, index) => join(folder, `${index}.${ext}`));
  for (const [index, path] of paths.entries()) await writeFile(path, files[index] ?? "");
  return paths;
}

const text = (value: string) => Buffer.from(value);

describe("WAV files", () => {
  test("are joined under one header with the right sizes", async () => {
    expect(await joined("wav", wav(text("abcd")), wav(text("ef")), wav(text("gh")))).toEqual(
      wav(text("abcdefgh")),
    );
  });

  test.each([
    ["no samples", wav(text(""))],
    ["samples whose size is 0 in the header", Buffer.concat([wav(text("")), text("samples")])],
  ])("with %s are not joined, because the speech of one part would be missing", async (_, silent) => {
    const end = silent.length - 8;
    // In a header from a stream, the file would end at the samples. Here it does not, so a size of 0 is not "unknown".
    silent.writeUInt32LE(end + 100, 4);
    await expect(joined("wav", wav(text("ab")), silent)).rejects.toThrow("part 2 has no sound");
  });

  test("are joined without their other chunks, even if those chunks have an odd length and padding", async () => {
    const list = riffChunk("LIST", text("INFOISFT\x05\0\0\0gpuct"));
    const files = [
      wav(text("abc"), { bits: 8, before: [list] }),
      wav(text("d"), { bits: 8, after: [list] }),
      wav(text("e"), { bits: 8 }),
    ];
    expect(await joined("wav", ...files)).toEqual(wav(text("abcde"), { bits: 8 }));
  });

  test.each([0xffff_ffff, 0x7fff_ffff])(
    "are joined if they come from a stream and have the size %i in the header",
    async (size) => {
      expect(await joined("wav", wav(text("abcd"), { size }), wav(text("ef"), { size }))).toEqual(
        wav(text("abcdef")),
      );
    },
  );

  test("are joined if the sizes in the header are those of a file without samples", async () => {
    const streamed = (samples: string) => Buffer.concat([wav(text("")), text(samples)]);
    expect(await joined("wav", streamed("abcd"), streamed("ef"))).toEqual(wav(text("abcdef")));
  });

  test("are not joined if one has another WAV file after its samples", async () => {
    const files = [wav(text("ab")), Buffer.concat([wav(text("cd")), wav(text("ef"))])];
    await expect(joined("wav", ...files)).rejects.toThrow("several WAV files in one");
  });

  test("are joined if one is RF64, which has its sizes in another chunk", async () => {
    const sizes = Buffer.alloc(28);
    sizes.writeBigUInt64LE(4n, 8);
    const file = wav(text("abcd"), {
      before: [riffChunk("ds64", sizes)],
      after: [riffChunk("LIST", text("more"))],
    });
    file.write("RF64", "latin1");
    file.writeUInt32LE(0xffff_ffff, file.indexOf("data") + 4);
    expect(await joined("wav", file, wav(text("ef")))).toEqual(wav(text("abcdef")));
  });

  test("are joined if one is WAVE_FORMAT_EXTENSIBLE and another is plain PCM of the same kind", async () => {
    const files = [wav(text("abcd"), { tag: 0xfffe }), wav(text("ef"))];
    expect(await joined("wav", ...files)).toEqual(wav(text("abcdef"), { tag: 0xfffe }));
  });

  test("are joined without an incomplete block of samples", async () => {
    expect(samplesOf(await joined("wav", wav(text("abc")), wav(text("de"))))).toEqual(text("abde"));
  });

  test("are joined with all their samples, whatever the samples are", async () => {
    const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(parts, async (samples) => {
        const file = await joined("wav", ...samples.map((one) => wav(one, { bits: 8 })));
        expect(file).toEqual(wav(Buffer.concat(samples), { bits: 8 }));
      }),
      runs(30),
    );
  });

  test.each([
    [
      "another rate",
      wav(text("ab"), { rate: 16_000 }),
      "part 1 is WAV (16-bit PCM, 1 channel, 8000 Hz), and part 2 is WAV (16-bit PCM, 1 channel, 16000 Hz)",
    ],
    ["more channels", wav(text("abcd"), { channels: 2 }), "part 2 is WAV (16-bit PCM, 2 channels, 8000 Hz)"],
    ["other bits", wav(text("ab"), { bits: 8 }), "part 2 is WAV (8-bit PCM"],
    ["another encoding", wav(text("ab"), { tag: 3 }), "part 2 is WAV (16-bit float"],
    ["an encoding in frames", wav(text("ab"), { tag: 0x11 }), "a WAV file with encoding 0x0011"],
    ["no data chunk", wav(text("")).subarray(0, 36), "a WAV file without samples"],
  ])("with %s are not joined", async (_, file, message) => {
    await expect(joined("wav", wav(text("ab")), file)).rejects.toThrow(message);
  });

  test.each([
    ["cut off", Buffer.from("RIFF\x0c\0\0\0WAVEds64\0\0\0\0", "latin1")],
    ["too short", wav(text("ab"), { before: [riffChunk("ds64", Buffer.alloc(8))] })],
  ])("with a ds64 chunk that is %s are not joined", async (_, file) => {
    await expect(joined("wav", file)).rejects.toThrow(
      new CannotJoin("a WAV file with an incomplete ds64 chunk"),
    );
  });

  test("are not joined if one has too many chunks before its samples", async () => {
    const chunks = (count: number) => wav(text("ab"), { before: [Buffer.alloc(8 * count)] });
    // The format and the samples are chunks, too.
    expect(samplesOf(await joined("wav", chunks(maxChunks - 2))).length).toBeGreaterThan(0);
    await expect(joined("wav", chunks(maxChunks - 1))).rejects.toThrow(
      new CannotJoin("a WAV file with 1000 or more chunks before its samples"),
    );
  });

  test("of more than 4 GiB are not joined", async () => {
    const folder = await scratch();
    const size = 0xffff_ffff;
    const paths = await written(folder, "wav", [wav(text("ab"), { size }), wav(text("ab"))]);
    // The file has a hole, so it takes no space.
    await truncate(paths[0] ?? "", 5 * 1024 ** 3);
    await expect(joinSound(paths)).rejects.toThrow("4 GiB");
  });

  test("are joined into a file that lasts as long as its parts, as soxi measures it", async (context) => {
    skipWithout("soxi", context);
    const folder = await scratch();
    for (const [name, options] of Object.entries({
      pcm: {},
      float: { tag: 3, bits: 32 },
      law: { tag: 7, bits: 8 },
    })) {
      const second = Buffer.alloc((8000 * ((options as { bits?: number }).bits ?? 16)) / 8, 1);
      const path = join(folder, `${name}-joined.wav`);
      await writeFile(
        path,
        await joined("wav", wav(second, options), wav(second.subarray(0, second.length / 2), options)),
      );
      expect(await runProgram("soxi", ["-D", path])).toMatchObject({ out: "1.500000\n", err: "" });
    }
  });
});

describe("MP3 files", () => {
  const [one, two, three] = [mp3Frame(1), mp3Frame(2), mp3Frame(3)];

  test("are joined without their tags and their Xing, Info and VBRI frames", async () => {
    const vbri = mp3Frame(0);
    vbri.write("VBRI", 36, "latin1");
    const files = [
      Buffer.concat([id3v2(300), mp3Frame(0, { tag: "Xing" }), one, id3v1]),
      Buffer.concat([mp3Frame(0, { tag: "Info" }), two, apeTag, id3v1]),
      Buffer.concat([id3v2(10), id3v2(10), Buffer.alloc(50), vbri, three, one]),
    ];
    expect(await joined("mp3", ...files)).toEqual(Buffer.concat([one, two, three, one]));
  });

  test.each([
    ["another rate", "fffb94c4", "MPEG-1 layer III, 1 channel, 48000 Hz"],
    ["more channels", "fffb9004", "MPEG-1 layer III, 2 channels, 44100 Hz"],
    ["another version", "fff380c4", "MPEG-2 layer III, 1 channel, 22050 Hz"],
  ])("with %s are not joined", async (_, header, message) => {
    await expect(joined("mp3", one, mp3Frame(1, { header }))).rejects.toThrow(message);
  });

  test("with tags but without sound are not joined", async () => {
    await expect(joined("mp3", one, id3v2(100))).rejects.toThrow("an MP3 file without frames");
  });

  test("with a tag whose size is larger than the file are not joined", async () => {
    const tag = Buffer.from(apeTag);
    tag.writeUInt32LE(1_000_000, tag.length - 20);
    await expect(joined("mp3", one, Buffer.concat([two, tag]))).rejects.toThrow("part 2 has no sound");
  });

  test("with too many tags are not joined", async () => {
    const tagged = (count: number) => Buffer.concat([...Array.from({ length: count }, () => id3v2(0)), one]);
    expect(await joined("mp3", tagged(maxChunks - 1))).toEqual(one);
    await expect(joined("mp3", tagged(maxChunks))).rejects.toThrow(
      new CannotJoin("an MP3 file with 1000 or more tags before its frames"),
    );
  });

  test("whose first frame is truncated are joined as they are", async () => {
    expect(await joined("mp3", one.subarray(0, 100), two)).toEqual(
      Buffer.concat([one.subarray(0, 100), two]),
    );
  });
});

test.each(["ogg", "flac", "bin"])("%s files are not joined", async (ext) => {
  await expect(joined(ext, text("OggS"), text("OggS"))).rejects.toThrow(
    `gpuctl joins WAV and MP3 files, not ${ext.toUpperCase()}`,
  );
});

test("a RangeError while a file is parsed is reported as an invalid file", async () => {
  const read = vi.spyOn(Buffer.prototype, "readUInt32LE").mockImplementation(() => {
    throw new RangeError("Attempt to access memory outside buffer bounds");
  });
  onTestFinished(() => read.mockRestore());
  await expect(joined("wav", wav(text("ab")))).rejects.toThrow(new CannotJoin("an invalid WAV file"));
});

test("a disk error is reported unchanged", async () => {
  const folder = join(await scratch(), "folder.wav");
  await mkdir(folder);
  await expect(joinSound([folder])).rejects.toMatchObject({ code: "EISDIR" });
});

test("the samples of each file are read only when its turn comes", async () => {
  const folder = await scratch();
  const paths = await written(folder, "wav", [wav(text("ab")), wav(text("cd"))]);
  const { bytes } = await joinSound(paths);
  const chunks = bytes();
  const { value } = await chunks.next();
  expect(value).toEqual(wav(text("abcd")).subarray(0, 44));
  expect(await readFile(paths[1] ?? "")).toEqual(wav(text("cd")));
  await rm(paths[1] ?? "");
  expect((await chunks.next()).value).toEqual(text("ab"));
  await expect(chunks.next()).rejects.toThrow("ENOENT");
});
