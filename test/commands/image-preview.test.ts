import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { encode } from "fast-png";
import { describe, expect, test, vi } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { blockLines } from "../../src/media/preview/blocks.ts";
import { iterm2Sequence, kittySequence } from "../../src/media/preview/protocols.ts";
import { sanitizePictures } from "../../src/output/text.ts";
import { encodeJpeg } from "../media/jpeg.ts";
import { painter, saved } from "../support/pictures.ts";
import { overNetwork } from "../support/service.ts";

type Color = readonly [number, number, number];

/** A PNG in which `at` returns the color of each pixel. */
function png(width: number, height: number, at: (x: number, y: number) => Color): Uint8Array {
  const data = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    data.set(at(pixel % width, Math.floor(pixel / width)), pixel * 3);
  }
  return encode({ width, height, data, channels: 3, depth: 8 });
}

const red: Color = [255, 0, 0];
const green: Color = [0, 255, 0];
const blue: Color = [0, 0, 255];
const white: Color = [255, 255, 255];
const corners = png(
  2,
  2,
  (x, y) =>
    [
      [red, green],
      [blue, white],
    ][y]?.[x] ?? red,
);

const onTerminal = (env: Readonly<Record<string, string>>, terminal = 80, rows = 24) => {
  const network = overNetwork();
  return { ...network, terminal, rows, env: { ...network.env, ...env } };
};
const truecolor = { TERM: "xterm-256color", COLORTERM: "truecolor" };

/** The pictures that a text draws with kitty's protocol, and the options of each. */
function kittyPictures(text: string): readonly { readonly options: string; readonly bytes: Buffer }[] {
  const pictures: { options: string; base64: string }[] = [];
  for (const [, options = "", base64 = ""] of text.matchAll(/\u001b_G([^;]*);([^\u001b]*)\u001b\\/g)) {
    expect(base64.length).toBeLessThanOrEqual(4096);
    expect(options).toContain("q=2");
    const last = pictures.at(-1);
    if (options.includes("a=T")) pictures.push({ options, base64 });
    else if (last) last.base64 += base64;
  }
  return pictures.map(({ options, base64 }) => ({ options, bytes: Buffer.from(base64, "base64") }));
}

describe("image --preview with half blocks", () => {
  test("draws two pixels in each cell, in 24-bit colors, on stderr", async () => {
    const cli = await painter(corners);
    const { code, out, err } = await cli.run("image cat --preview", onTerminal(truecolor));
    expect(code).toBe(exit.done);
    expect(err).toContain(
      "\u001b[38;2;255;0;0;48;2;0;0;255m▀\u001b[38;2;0;255;0;48;2;255;255;255m▀\u001b[0m\n",
    );
    const [name = ""] = await saved(cli);
    expect(out).toBe(`${join(cli.folder, name)}\n`);
  });

  test("uses 256 colors if the terminal supports no more", async () => {
    const gray = png(2, 2, () => [128, 128, 128]);
    for (const [image, codes] of [
      [corners, "38;5;196;48;5;21m▀\u001b[38;5;46;48;5;231m▀"],
      [gray, "38;5;244;48;5;244m▀▀"],
    ] as const) {
      const { run } = await painter(image);
      const { err } = await run("image cat --preview", onTerminal({ TERM: "xterm-256color" }));
      expect(err).toContain(codes);
    }
  });

  test("averages the pixels of a large picture to fit the window", async () => {
    const { run } = await painter(png(900, 900, (x, y) => ((x + y) % 2 === 0 ? white : [0, 0, 0])));
    const { err } = await run("image cat --preview", onTerminal(truecolor, 60, 20));
    const lines = err.split("\n").filter((line) => line.includes("▀"));
    expect(lines).toHaveLength(17);
    for (const line of lines) {
      expect(line.match(/▀/g)).toHaveLength(34);
      const levels = [...line.matchAll(/[34]8;2;(\d+);/g)].map(([, level]) => Number(level));
      for (const level of levels) expect(Math.abs(level - 127.5)).toBeLessThan(6);
    }
  });

  test.each([
    ["tmux in kitty", { TERM: "xterm-kitty", TMUX: "/tmp/tmux", COLORTERM: "truecolor" }, "38;2"],
    [
      "screen in iTerm2",
      { TERM: "screen", STY: "1", TERM_PROGRAM: "iTerm.app", COLORTERM: "truecolor" },
      "38;5",
    ],
    [
      "an editor started from kitty",
      { TERM: "xterm-256color", KITTY_WINDOW_ID: "1", TERM_PROGRAM: "vscode" },
      "38;2",
    ],
    ["an unknown terminal", { TERM: "xterm-256color", TERM_PROGRAM: "new" }, "38;5"],
  ])("is used in %s", async (_name, env, color) => {
    const { run } = await painter(corners);
    const { err } = await run("image cat --preview", onTerminal(env));
    expect(err).toContain(`\u001b[${color}`);
    expect(err).not.toMatch(/\u001b[_\]]/);
  });
});

describe("image --preview with a graphics protocol", () => {
  test.each([
    { TERM: "xterm-kitty" },
    { TERM: "xterm-256color", KITTY_WINDOW_ID: "1" },
    { TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" },
    { TERM: "xterm-kitty", LANG: "C", NO_COLOR: "1" },
  ])("sends the file with kitty's protocol: %o", async (env) => {
    const noise = png(90, 90, (x, y) => [(x * 89 + y * 57) % 256, (x * y * 31) % 256, (x * 7) % 256]);
    const cli = await painter(noise);
    const { err } = await cli.run("image cat --preview", onTerminal(env));
    const [name = ""] = await saved(cli);
    const [picture, ...others] = kittyPictures(err);
    expect(others).toEqual([]);
    expect(picture?.options).toMatch(/^a=T,f=100,q=2,c=6,m=1$/);
    expect(picture?.bytes.equals(await readFile(join(cli.folder, name)))).toBe(true);
    expect(err).not.toContain("▀");
  });

  test("sends a JPEG as PNG with kitty's protocol", async () => {
    const { run } = await painter(await encodeJpeg(8, 8, new Uint8Array(8 * 8 * 4).fill(255), 90));
    const { err } = await run("image cat --preview", onTerminal({ TERM: "xterm-kitty" }));
    expect(kittyPictures(err)[0]?.bytes.subarray(1, 4).toString()).toBe("PNG");
  });

  test.each([
    { TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" },
    { TERM: "xterm-256color", LC_TERMINAL: "iTerm2" },
    { TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" },
  ])("sends the file with iTerm2's protocol: %o", async (env) => {
    const cli = await painter(corners);
    const { err } = await cli.run("image cat --preview", onTerminal(env));
    const [name = ""] = await saved(cli);
    const [, options, base64 = ""] = /\u001b\]1337;File=([^:]*):([^\u0007]*)\u0007/.exec(err) ?? [];
    const file = await readFile(join(cli.folder, name));
    expect(options).toBe(`inline=1;size=${file.length};width=1;preserveAspectRatio=1`);
    expect(Buffer.from(base64, "base64").equals(file)).toBe(true);
  });
});

describe("image --preview of several pictures", () => {
  const line = "image cat -n 5 --preview";
  const square = png(300, 300, (x, y) => [x % 256, y % 256, 90]);

  test("shows all pictures with their numbers, and fits the window", async () => {
    for (const [columns, rows] of [
      [80, 24],
      [120, 40],
    ] as const) {
      const { run } = await painter(square);
      const { err } = await run(line, onTerminal(truecolor, columns, rows));
      const lines = err.split("\n").map((one) => one.replace(/\u001b\[[\d;]*m/g, ""));
      const drawn = lines.slice(lines.findIndex((one) => one.includes("▀")));
      for (const one of drawn) expect(one.length).toBeLessThanOrEqual(columns);
      expect(drawn.length).toBeLessThanOrEqual(rows - 5);
      const captions = drawn.join("\n").match(/\d …\S+\.png/g);
      expect(captions?.map((caption) => caption[0])).toEqual(["1", "2", "3", "4", "5"]);
    }
  });

  test("uses more lines than the window has if the pictures would be too small otherwise", async () => {
    const cli = await painter(corners);
    const { err } = await cli.run("image cat -n 40 --preview", onTerminal(truecolor, 80, 12));
    expect(err.replace(/\u001b\[[\d;]*m/g, "").match(/^\d+ …\S+/gm)).toHaveLength(8);
  });

  test("with kitty's protocol, puts each picture above its caption", async () => {
    const { run } = await painter(square);
    const { err } = await run(line, onTerminal({ TERM: "xterm-kitty" }));
    expect(kittyPictures(err)).toHaveLength(5);
    const emulator = new Terminal({ cols: 80, rows: 24, allowProposedApi: true });
    const starts: number[] = [];
    const text = err
      .replace(/\u001b_Ga=T[^\u001b]*\u001b\\/g, "\u001b[@")
      .replace(/\u001b_G[^\u001b]*\u001b\\/g, "");
    emulator.parser.registerCsiHandler({ final: "@" }, () => starts.push(emulator.buffer.active.cursorX) > 0);
    await new Promise<void>((resolve) => emulator.write(text.replaceAll("\n", "\r\n"), resolve));
    const rows = Array.from(
      { length: 24 },
      (_, row) => emulator.buffer.active.getLine(row)?.translateToString(true) ?? "",
    );
    emulator.dispose();
    const captions = rows.filter((row) => /^\d …/.test(row));
    const columns = captions.flatMap((row) => [...row.matchAll(/\d …/g)].map(({ index }) => index));
    expect(starts).toEqual(columns);
    expect(starts).toHaveLength(5);
  });
});

describe("the filter for the control sequences of drawn pictures", () => {
  const own = [
    ...blockLines({ width: 2, height: 2, data: new Uint8ClampedArray(12) }, "truecolor"),
    kittySequence(corners, { columns: 3 }),
    kittySequence(corners, { columns: 3, rows: 2 }),
    iterm2Sequence(corners, { columns: 3, rows: 2 }),
    "\u001b[12A\u001b7\u001b[3C\u001b8\u001b[2B\r",
  ];

  test("keeps every sequence that draws a picture, however long it is", () => {
    const large = iterm2Sequence(new Uint8Array(20 * 1024 * 1024), { columns: 3 });
    for (const text of [...own, large]) expect(sanitizePictures(text) === text).toBe(true);
  });

  test("removes every other sequence", () => {
    for (const [text, left] of [
      ["a\u001b[2Jb", "ab"],
      ["a\u001b]0;title\u0007b", "ab"],
      ["a\u001b]52;c;QUJD\u0007b", "ab"],
      ["a\u001b]1337;File=name=QUJD;inline=0:QUJD\u0007b", "ab"],
      ["a\u001b]1337;SetMark\u0007b", "ab"],
      ["a\u001b_Gi=31,a=q,t=f;L2V0Yw==\u001b\\b", "ab"],
      ["a\u001b[6nb\u0007", "ab"],
      ["a\u009b2Jb", "ab"],
    ] as const) {
      expect(sanitizePictures(text), JSON.stringify(text)).toBe(left);
    }
  });
});

describe("if it does not draw a picture, image --preview", () => {
  test.each([
    ["without a terminal", { TERM: "xterm-kitty" }, undefined, "stderr is not a terminal"],
    ["TERM=dumb", { TERM: "dumb", COLORTERM: "truecolor" }, 80, "TERM is dumb"],
    ["LANG=C", { ...truecolor, LANG: "C" }, 80, "the locale is not UTF-8"],
    ["NO_COLOR", { ...truecolor, NO_COLOR: "1" }, 80, "colors are off"],
    ["few colors", { TERM: "linux" }, 80, "the terminal is not known to have 256 colors (TERM is linux)"],
  ])(
    "says so once before the picture is paid for, and saves the picture: %s",
    async (_name, env, terminal, reason) => {
      const cli = await painter(corners);
      const network = overNetwork();
      const { code, err, out } = await cli.run("image cat -n 2 --preview", {
        ...network,
        env: { ...network.env, ...env },
        ...(terminal !== undefined && { terminal }),
      });
      expect(code).toBe(exit.done);
      expect(err.split(`No preview: ${reason}.\n`)).toHaveLength(2);
      expect(err.indexOf("No preview")).toBeLessThan(err.indexOf("images,"));
      expect(err).not.toMatch(/\u001b|▀/);
      expect(out.trim().split("\n")).toHaveLength(2);
    },
  );

  test("reports a picture that cannot be decoded, and draws the others", async () => {
    const broken = Buffer.from(corners);
    broken.fill(0, 40, 48);
    const { run } = await painter(Buffer.from("GIF89a"), broken, corners);
    const { code, err, out } = await run("image cat --preview", onTerminal(truecolor));
    expect(code).toBe(exit.done);
    expect(err).toMatch(/1\.gif cannot be drawn: it is not a PNG, JPEG or WebP image\.\n/);
    expect(err.match(/cannot be drawn/g)).toHaveLength(2);
    expect(err).toContain("\u001b[38;2;255;0;0;48;2;0;0;255m▀");
    expect(out.trim().split("\n")).toHaveLength(3);
  });

  test("reports a broken JPEG in one sentence, and draws the next picture", async () => {
    const raw = ["log", "warn", "error"].map((name) => vi.spyOn(console, name as "log"));
    const jpeg = Buffer.from(await encodeJpeg(2, 2, Buffer.alloc(2 * 2 * 4, 255), 90));
    const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]));
    const broken = Buffer.concat([jpeg.subarray(0, scan), Buffer.from([0xff, 0xc0, 0, 3, 0, 0xff, 0xd9])]);
    const { run } = await painter(broken, jpeg);
    const { code, err } = await run("image cat --preview", onTerminal(truecolor));
    expect(code).toBe(exit.done);
    expect(err).toMatch(/1\.jpg cannot be drawn: it is broken\.\n/);
    expect(err.match(/cannot be drawn/g)).toHaveLength(1);
    for (const write of raw) expect(write).not.toHaveBeenCalled();
  });

  test("does not draw a 16-bit PNG that needs too much memory", async () => {
    const large = Buffer.from(
      encode({ width: 1, height: 1, data: new Uint16Array(3), channels: 3, depth: 16 }),
    );
    large.writeUInt32BE(8192, 16);
    large.writeUInt32BE(8192, 20);
    const { run } = await painter(large);
    const { code, err } = await run("image cat --preview", onTerminal(truecolor));
    expect(code).toBe(exit.done);
    expect(err).toContain("1.png cannot be drawn: 8192x8192 is too large for");
  });

  test("is rejected with --out -, as is --open, because no picture is saved", async () => {
    const { run } = await painter(corners);
    for (const flag of ["--preview", "--open"]) {
      const { code, err, requests } = await run(`image cat ${flag} --out -`, overNetwork());
      expect(code).toBe(exit.usage);
      expect(err).toContain(`${flag} shows saved images, but --out - does not save them`);
      expect(requests).toEqual([]);
    }
  });

  test("draws nothing in a dry run", async () => {
    const { run } = await painter(corners);
    const { code, err } = await run("image cat --preview --dry-run", onTerminal(truecolor));
    expect(code).toBe(exit.done);
    expect(err).not.toContain("▀");
  });
});

test("image --preview removes control characters from a file name in a caption", async () => {
  const cli = await painter(corners, corners);
  const name = "a\u001b]0;title\u0007\u001b[2J\u009b5n.png";
  const { err } = await cli.run(["image", "cat", "--preview", "--out", name], onTerminal(truecolor));
  expect((await readdir(cli.folder)).some((one) => one.includes("title"))).toBe(true);
  expect(err.replace(/\u001b\[[\d;]*m/g, "")).not.toMatch(/[\u001b\u0007\u009b]/);
  expect(err).toContain("1 a");
});
