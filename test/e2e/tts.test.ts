import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addProgram, createHome, key, runProgram } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { samplesOf, wav } from "../support/sound.ts";

/** With `--part-length 20`, each sentence is a part of its own. */
const sentences = ["Here is number one.", "Here is number two.", "Here is three now.", "This is the fourth."];
const line = `tts "${sentences.join(" ")}" --part-length 20 --concurrency 1 --out talk.wav`;

async function textOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return JSON.parse(body).text;
}

/** A service that returns half a second of sound for each part, but no response for the part `silent.for`. */
async function serveVoice(silent: { for: string | undefined }) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    asked.push(text);
    if (text === silent.for) {
      server.emit("silent");
      return;
    }
    const audio = wav(Buffer.alloc(8000, text)).toString("base64");
    response.setHeader("Content-Type", "application/json").end(JSON.stringify({ audio }));
  });
  const waiting = once(server, "silent");
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const env = { GPUCTL_BASE_URL: `http://127.0.0.1:${port}`, GPUCTL_API_KEY: key };
  return { asked, waiting, env };
}

test("a command that was killed in the middle requests only the missing parts when it runs again", async (context) => {
  const silent: { for: string | undefined } = { for: sentences[2] };
  const { asked, waiting, env } = await serveVoice(silent);
  const home = await createHome(env);
  const child = home.start(line);
  await waiting;
  child.kill("SIGKILL");
  await child;
  expect(asked).toEqual(sentences.slice(0, 3));

  silent.for = undefined;
  const { code, err } = await home.run(line);
  expect(code).toBe(0);
  expect(err).toContain("2 of 4 parts are already there");
  expect(asked.slice(3)).toEqual(sentences.slice(2));
  const path = join(home.folder, "talk.wav");
  const expected = Buffer.concat(sentences.map((text) => Buffer.alloc(8000, text)));
  expect(samplesOf(await readFile(path))).toEqual(expected);
  expect((await readdir(home.folder)).filter((name) => name.includes("-parts-"))).toEqual([]);
  skipWithout("soxi", context);
  expect(await runProgram("soxi", ["-D", path])).toMatchObject({ out: "2.000000\n", err: "" });
});

test.skipIf(process.platform === "win32")("Ctrl-C stops the player, and the file stays", async () => {
  const { env } = await serveVoice({ for: undefined });
  const home = await createHome(env);
  // gpuctl looks for this player first, so it does not matter which players this machine has.
  await addProgram(home.folder, "afplay", 'echo $$ > "$HOME/player"; echo started; exec sleep 600');
  const child = home.start("tts Hello --out hello.wav --play");
  const player = async (): Promise<number> => {
    for (;;) {
      const text = await readFile(join(home.folder, "player"), "utf8").catch(() => "");
      if (text.endsWith("\n")) return Number(text);
      await new Promise(setImmediate);
    }
  };
  const id = await player();
  child.kill("SIGINT");
  const { exitCode, stdout, stderr } = await child;
  expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: join(home.folder, "hello.wav") });
  expect(stderr).toContain("Saved before the failure");
  expect(await readdir(home.folder)).toContain("hello.wav");
  expect(() => process.kill(id, 0)).toThrow("ESRCH");
});

test.skipIf(process.platform === "win32")("nothing that a player writes is printed", async () => {
  const { env } = await serveVoice({ for: undefined });
  const home = await createHome(env);
  await addProgram(home.folder, "afplay", 'echo "playing $1"; echo warning >&2; cat');
  const { code, out, err } = await home.run("tts Hello --out hello.wav --play", {
    input: "not for the player",
  });
  expect({ code, out, err }).toEqual({ code: 0, out: `${join(home.folder, "hello.wav")}\n`, err: "" });
});
