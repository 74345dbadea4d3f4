import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Interrupted, Unavailable } from "../../src/core/errors.ts";
import type { Programs } from "../../src/system/types.ts";
import { createCli, type RunOptions } from "../support/cli.ts";
import { always, overNetwork } from "../support/service.ts";
import { mp3Frame, wav } from "../support/sound.ts";

const recording = wav(Buffer.from("samples!"));
const speaker = (bytes: Uint8Array = recording) =>
  createCli({ respond: always(200, { audio: Buffer.from(bytes).toString("base64") }) });

type Run = Programs["runQuietly"];
const succeeds: Run = async () => ({ status: 0, stderr: "" });

/** A machine with these players, and a list of the commands that were run. */
function withPlayers(installed: readonly string[], runs: Run = succeeds) {
  const played: (readonly string[])[] = [];
  const options: RunOptions = {
    ...overNetwork(),
    programs: {
      which: async (program) => (installed.includes(program) ? `/usr/bin/${program}` : undefined),
      runQuietly: (program, args, env) => {
        played.push([program, ...args]);
        return runs(program, args, env);
      },
    },
  };
  return { played, options };
}

describe("tts --play", () => {
  test.each([
    ["afplay", []],
    ["pw-play", []],
    ["paplay", []],
    ["aplay", ["-q"]],
    ["ffplay", ["-nodisp", "-autoexit", "-nostats", "-loglevel", "error"]],
  ])("plays the saved file with %s", async (player, flags) => {
    const { run, folder } = await speaker();
    const { played, options } = withPlayers([player]);
    const path = join(folder, "hi.wav");
    expect(await run("tts Hi --play --out hi.wav", options)).toMatchObject({ code: 0, out: `${path}\n` });
    expect(played).toEqual([[player, ...flags, path]]);
  });

  test.each(["hi.WAV", "hi.wave"])("chooses the player by the content of %s", async (name) => {
    const { run } = await speaker();
    const { played, options } = withPlayers(["aplay"]);
    expect(await run(`tts Hi --play --out ${name}`, options)).toMatchObject({ code: 0 });
    expect(played).toHaveLength(1);
  });

  test("passes the path to PowerShell in a variable, because a quote in the path could end the command", async () => {
    const { run, folder } = await speaker();
    const variables: unknown[] = [];
    const { played, options } = withPlayers(["powershell"], async (_program, _args, env) => {
      variables.push(env);
      return { status: 0, stderr: "" };
    });
    const name = "it’s ' + (calc) + '.wav";
    expect(await run(["tts", "Hi", "--play", "--out", name], options)).toMatchObject({ code: 0 });
    expect(played[0]?.at(-1)).toBe("(New-Object System.Media.SoundPlayer $env:GPUCTL_PLAY_PATH).PlaySync()");
    expect(variables).toEqual([{ GPUCTL_PLAY_PATH: join(folder, name) }]);
  });

  test("does not play a file that is not audio, such as a playlist", async () => {
    const { run } = await speaker(Buffer.from("#EXTM3U\nhttp://192.0.2.1/secret\0"));
    const { played, options } = withPlayers(["ffplay"]);
    const { code, err } = await run("tts Hi --play", options);
    expect({ code, played }).toEqual({ code: 1, played: [] });
    expect(err).toContain("not audio of a known type");
  });

  test("saves the recording under the default name without --out", async () => {
    const { run } = await speaker();
    const { played, options } = withPlayers(["aplay"]);
    const { code, out } = await run("tts Hi --play", options);
    expect(code).toBe(0);
    expect(played).toEqual([["aplay", "-q", out.trimEnd()]]);
    expect(await readFile(out.trimEnd())).toEqual(recording);
  });

  test("plays a long text after its parts were joined", async () => {
    const { run, folder } = await speaker();
    const { played, options } = withPlayers(["aplay"]);
    const line = ["tts", "Here is number one. Here is number two.", "--part-length", "20", "--out", "a.wav"];
    expect(await run([...line, "--play"], options)).toMatchObject({ code: 0 });
    expect(played).toEqual([["aplay", "-q", join(folder, "a.wav")]]);
  });

  test("uses a player that supports the format", async () => {
    const { run } = await speaker(mp3Frame(0));
    const { played, options } = withPlayers(["aplay", "ffplay"]);
    expect(await run("tts Hi --play", options)).toMatchObject({ code: 0 });
    expect(played[0]?.[0]).toBe("ffplay");
  });

  test("is an error without a player, and says what to install", async () => {
    const { run } = await speaker();
    const { code, err, requests } = await run("tts Hi --play", withPlayers([]).options);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--play needs one of afplay, pw-play, paplay, aplay, ffplay, powershell");
    expect(err).toContain("Install PipeWire");
  });

  test("needs no player in a dry run, and is rejected with --out -", async () => {
    const { run } = await speaker();
    const { options } = withPlayers([]);
    expect(await run("tts Hi --play --dry-run", options)).toMatchObject({ code: 0, requests: [] });
    expect(await run("tts Hi --play --out -", options)).toMatchObject({ code: 2, requests: [] });
  });

  test.each<[string, readonly string[], Uint8Array, Run, string]>([
    [
      "fails",
      ["aplay"],
      recording,
      async () => ({ status: 1, stderr: "ALSA lib\naplay: audio open error\n" }),
      "aplay exited with status 1: aplay: audio open error",
    ],
    [
      "cannot be started",
      ["aplay"],
      recording,
      () => Promise.reject(new Unavailable("aplay cannot be started (EACCES)", "")),
      "aplay cannot be started",
    ],
    [
      "does not know the format",
      ["aplay"],
      mp3Frame(0),
      succeeds,
      "none of the installed players (aplay) plays mp3 files",
    ],
    [
      "fails with a very long line",
      ["aplay"],
      recording,
      async () => ({ status: 3, stderr: `noise\n${"x".repeat(5000)}` }),
      `aplay exited with status 3: ${"x".repeat(300)}\n`,
    ],
  ])("keeps the file and prints its path if the player %s", async (_, installed, bytes, runs, message) => {
    const { run } = await speaker(bytes);
    const { code, out, err } = await run("tts Hi --play", withPlayers(installed, runs).options);
    expect(code).toBe(1);
    expect(err).toContain(`Error: ${message}`);
    expect(err).toContain(`Saved before the failure: ${out.trimEnd()}.`);
    expect(await readFile(out.trimEnd())).toEqual(Buffer.from(bytes));
  });

  test("keeps the file and exits with 130 if Ctrl-C stops the player", async () => {
    const controller = new AbortController();
    const { run, folder } = await speaker();
    const { options } = withPlayers(["aplay"], async () => {
      controller.abort(new Interrupted());
      throw controller.signal.reason;
    });
    const { code, out } = await run("tts Hi --play --out hi.wav", { ...options, signal: controller.signal });
    expect({ code, out }).toEqual({ code: 130, out: `${join(folder, "hi.wav")}\n` });
    expect(await readdir(folder)).toContain("hi.wav");
  });
});
