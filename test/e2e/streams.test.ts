import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { outputFormats } from "../../src/core/view.ts";
import { createHome, firstChunk, type Home, key } from "../support/process.ts";
import { needs } from "../support/programs.ts";
import { sample, thorough } from "../support/thorough.ts";
import { virtualMachine } from "./third-party-records.ts";
import { send, serveThirdParty, type ThirdPartyServer } from "./third-party-server.ts";

const history = "GET /v2/on-demand/rental-history";
const vms = "GET /v2/on-demand/virtual-machine-rentals";

async function homeWithServer(instead: Parameters<typeof serveThirdParty>[0]["instead"] = {}) {
  const server: ThirdPartyServer = await serveThirdParty({ key, instead });
  onTestFinished(() => server.close());
  const home = await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
  return { ...home, server };
}

const formats = sample(outputFormats, 1);

/** In most formats, more than fits into the buffer of a pipe. */
const thousand = Array.from({ length: 1_000 }, (_, id) => ({ ...virtualMachine, id: String(id) }));

const bash = (line: string, { shell }: Home) => shell(line, { shell: "bash" }).ended;

describe.skipIf(process.platform === "win32")("a pipe that closes early", () => {
  needs("bash");

  it.each(formats)("ends %s output quietly", async (format) => {
    const home = await homeWithServer({ [vms]: (_request, response) => send(response, thousand) });
    const script = `gpuctl rentals list --type vm -o ${format} | head -n 1; exit "\${PIPESTATUS[0]}"`;
    const { code, out, err } = await bash(script, home);
    expect({ code, err, lines: out.match(/\n/g)?.length }).toEqual({ code: 0, err: "", lines: 1 });
  });

  it.each(sample(outputFormats, 4))("ends streamed %s output quietly", async (format) => {
    const home = await homeWithServer({ [history]: (_request, response) => send(response, thousand) });
    const script = `gpuctl rentals history -o ${format} | head -n 1; exit "\${PIPESTATUS[0]}"`;
    const { code, out, err } = await bash(script, home);
    expect({ code, err, lines: out.match(/\n/g)?.length }).toEqual({ code: 0, err: "", lines: 1 });
  });

  it("ends filtered output quietly", async () => {
    const home = await homeWithServer({ [history]: (_request, response) => send(response, thousand) });
    const script = `gpuctl rentals history --jq '.[]' | head -n 1; exit "\${PIPESTATUS[0]}"`;
    const { code, out, err } = await bash(script, home);
    expect({ code, err, lines: out.match(/\n/g)?.length }).toEqual({ code: 0, err: "", lines: 1 });
  });

  it.each(sample(["--version", "--help", "rentals --help", "rentals list"], 2))(
    "ends %s quietly",
    async (line) => {
      const script = `exec 3> >(exec true); wait $!; gpuctl ${line} >&3`;
      expect(await bash(script, await homeWithServer())).toEqual({ code: 0, out: "", err: "" });
    },
  );
});

describe.skipIf(process.platform === "win32")(
  "what was created or reserved is named on stderr when the pipe is closed",
  () => {
    needs("bash");

    const created: readonly (readonly [string, string])[] = [
      ["rentals create vm --gpus 1", "Rental 1001 was created and is billed."],
      ["rentals create vm --gpus 1 --count 2 -q -o json", "Rentals 1001, 1002 exist and are billed."],
      [
        "volumes create --region us-central-1 --label data-1 --size-in-gb 256 -o id",
        "Volume 501 was created.",
      ],
      [
        "api call createVirtualMachineRental -F gpuCount=1",
        "POST /v2/on-demand/virtual-machine-rentals succeeded. Do not send it again.",
      ],
      ["api-keys create ci -o json", "Key 3 was created. Its value is lost, so revoke it"],
      [
        "rentals create vm --gpus 1 -o id --sandbox > id && gpuctl reserve convert 1001 --days 30 --expected-price 1296 --yes -o json",
        "Rental 1001 was reserved. Do not send the request again:",
      ],
    ];
    it.each(sample(created, 1, 3))("%s", async (line, named) => {
      const script = `exec 3> >(exec true); wait $!; gpuctl ${line} --sandbox >&3`;
      const { code, err } = await bash(script, await createHome());
      expect(code).toBe(0);
      expect(err).toContain(named);
    });
  },
);

describe.skipIf(process.platform === "win32")("stderr that closes early", () => {
  needs("bash");

  it.each([
    ["rentals get 999", 5, ""],
    ["rentals list -o id --debug", 0, "18026\nbm-7f\n"],
  ])("does not affect stdout or the exit code: %s", async (line, code, out) => {
    const script = `exec 3> >(exec true); wait $!; gpuctl ${line} 2>&3`;
    expect(await bash(script, await homeWithServer())).toEqual({ code, out, err: "" });
  });
});

describe.skipIf(!existsSync("/dev/full"))("a full disk", () => {
  const lists = [
    ...formats.map((format) => `rentals list -o ${format}`),
    ...sample(outputFormats, 4).map((format) => `rentals history -o ${format}`),
  ];
  it.each([...sample(["--version", "--help"], 0), ...lists, "rentals list --jq length", "chat Hoi -m llama"])(
    "makes %s fail, and the error says why",
    async (line) => {
      const { code, err } = await (await homeWithServer()).shell(`gpuctl ${line} > /dev/full`).ended;
      expect(code).toBe(1);
      expect(err).toMatch(/no space left|ENOSPC/i);
      expect(err).not.toMatch(/^\s+at /m);
    },
  );
});

describe.skipIf(!existsSync("/dev/full"))("a result that was paid for is kept", () => {
  needs("bash");

  const kept: readonly (readonly [string, string, string])[] = [
    ["image cat --out -", "/dev/full", "no space left"],
    ["tts Hoi --out -", "/dev/full", "no space left"],
    ["chat Hoi -m llama", "/dev/full", "no space left"],
    ["chat Hoi -m llama -o json", "/dev/full", "no space left"],
    ["tts Hoi --out -", "&3", "the pipe was closed"],
  ];
  it.each(sample(kept, 0, 2, 4))("%s > %s", async (line, target, reason) => {
    const home = await homeWithServer();
    const script = `exec 3> >(exec true); wait $!; gpuctl ${line} > ${target}`;
    const { code, out, err } = await bash(script.replace("> &", ">&"), home);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.toLowerCase()).toContain(reason);
    const [, path = ""] = /Saved to (\S+) instead, because you were charged for it/.exec(err) ?? [];
    expect((await stat(path)).size).toBeGreaterThan(10);
  });

  it.each(["/dev/full", "&3"])(
    "and the error says where the parts of a long text are: > %s",
    async (target) => {
      const home = await homeWithServer();
      const line = 'tts "Your GPU is ready. It is yours." --part-length 20 --out -';
      const script = `exec 3> >(exec true); wait $!; gpuctl ${line} > ${target}`;
      const { code, out, err } = await bash(script.replace("> &", ">&"), home);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/2 of 2 parts are kept in \S+\. Run the same command again to continue\./);
      const again = await bash(`gpuctl ${line} | wc -c`, home);
      expect(again).toMatchObject({
        code: 0,
        err: expect.stringContaining("2 of 2 parts are already there"),
      });
      expect(Number(again.out)).toBeGreaterThan(10);
    },
  );

  it("if stdout is a file that has room for only a part of it", async () => {
    const answer = "x".repeat(6_000);
    const home = await homeWithServer({
      "POST /v1/chat/completions": (_request, response) =>
        send(response, { choices: [{ message: { content: answer }, finish_reason: "stop" }] }),
    });
    // The limit of 8 KiB applies to each file, so the copy has room. `stdout` does not, and neither does the compile
    // cache, which Node.js 22 writes when the signals' handlers are gone.
    const script =
      "export NODE_DISABLE_COMPILE_CACHE=1; head -c 4000 /dev/zero > stdout; ulimit -f 8; gpuctl chat Hoi -m llama --no-stream -o json >> stdout";
    const { code, err } = await bash(script, home);
    expect(code, err).toBe(1);
    const [, path = ""] = /Saved to (\S+) instead, because you were charged for it/.exec(err) ?? [];
    expect(await readFile(path, "utf8")).toContain(answer);
  });

  it("and the error names the file if its path cannot be written to stdout", async () => {
    const home = await homeWithServer();
    const { code, err } = await bash("gpuctl tts Hoi --out hoi.wav > /dev/full", home);
    const [, path = ""] = /Saved before the failure: (\S+?)\.?\n/.exec(err) ?? [];
    expect({ code, size: (await stat(path)).size > 10 }).toEqual({ code: 1, size: true });
  });

  it("but a chat in a pipe that closes early ends quietly", async () => {
    const script = "exec 3> >(exec true); wait $!; gpuctl chat Hoi -m llama >&3";
    expect(await bash(script, await homeWithServer())).toEqual({ code: 0, out: "", err: "" });
  });
});

describe("Ctrl-C", () => {
  it("in a slow read exits 130", async () => {
    let received = () => {};
    const request = new Promise<void>((resolve) => {
      received = resolve;
    });
    const { start } = await homeWithServer({ "GET /v2/on-demand/active-rental-summary": () => received() });
    const child = start("rentals summary -o json");
    await request;
    child.kill("SIGINT");
    const { exitCode, stdout, stderr } = await child;
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
    expect(JSON.parse(stderr).error).toMatchObject({ code: "INTERRUPTED", exitCode: 130 });
  });

  it("in a write reports that the write may have taken effect", async () => {
    let received = () => {};
    const request = new Promise<void>((resolve) => {
      received = resolve;
    });
    const { start, server } = await homeWithServer({
      "POST /v2/on-demand/virtual-machine-rentals": () => received(),
    });
    const child = start("rentals create vm --gpus 1");
    await request;
    child.kill("SIGINT");
    const { exitCode, stdout, stderr } = await child;
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
    expect(stderr).toContain("may have taken effect");
    expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it("in a chat exits 130, after the start of the answer was printed", async () => {
    const { start } = await homeWithServer({
      "POST /v1/chat/completions": (_request, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.write('data: {"choices":[{"delta":{"content":"Once upon a time."}}]}\n\n');
      },
    });
    const child = start("chat Hoi -m llama");
    expect(await firstChunk(child.stdout)).toBe("Once upon a time.");
    child.kill("SIGINT");
    const { exitCode } = await child;
    expect(exitCode).toBe(130);
  });

  it("a second time exits at once, whatever gpuctl waits for", async () => {
    const home = await createHome({ GPUCTL_SANDBOX: "1" });
    await home.run("rentals create vm --gpus 1 --lease 1h --yes");
    await home.run("sandbox clock advance 2h");
    // The guard waits for this command even after Ctrl-C.
    const child = home.start("rentals guard --once --yes --notify 'echo waiting >&2; exec sleep 100'");
    expect(await firstChunk(child.stderr)).toContain("waiting");
    // Two signals of the same kind could arrive as one.
    child.kill("SIGINT");
    child.kill("SIGTERM");
    const { exitCode } = await child;
    expect(exitCode).toBe(130);
  });

  it("between retries exits immediately", async () => {
    const { start } = await homeWithServer({
      "GET /v2/on-demand/active-rental-summary": (_request, response) => {
        response.writeHead(503, { "Retry-After": "59" });
        response.end();
      },
    });
    const child = start("rentals summary --debug");
    await firstChunk(child.stderr);
    child.kill("SIGINT");
    expect((await child).exitCode).toBe(130);
  });

  it("stops an endless --jq filter, as SIGTERM and SIGHUP do", async () => {
    const { start } = await homeWithServer();
    for (const signal of sample(["SIGINT", "SIGTERM", "SIGHUP"] as const, 1)) {
      const child = start(`rentals summary --debug --jq "def f: f; f"`);
      await firstChunk(child.stderr);
      child.kill(signal);
      const { exitCode, stdout, stderr } = await child;
      expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
      expect(stderr).toContain('"code":"INTERRUPTED"');
    }
  });

  it("or SIGTERM in an endless --jq filter keeps a response that was paid for (checked with SIGTERM)", async () => {
    const { start } = await homeWithServer();
    const child = start(`chat Hoi -m llama --debug --jq "def f: f; f"`);
    await firstChunk(child.stderr);
    child.kill("SIGTERM");
    const { exitCode, stderr } = await child;
    expect(exitCode).toBe(130);
    const [, path = ""] = /The result was saved to (\S+?)\."/.exec(stderr) ?? [];
    expect((await stat(path)).size).toBeGreaterThan(10);
  });
});

describe("a --jq filter on a whole list", () => {
  const count = thorough ? 100_000 : 20_000;

  it(`works on ${count} rentals`, async () => {
    const list = `[${Array(count).fill(JSON.stringify(virtualMachine)).join(",")}]`;
    const { run } = await homeWithServer({ [vms]: (_request, response) => response.end(list) });
    const { code, out, err } = await run("rentals list --type vm --jq length");
    expect({ code, out, err }).toEqual({ code: 0, out: `${count}\n`, err: "" });
  }, 120_000);
});

describe("a served sandbox", () => {
  it.each(sample(["SIGINT", "SIGTERM"] as const, 0))("ends with %s and frees its port", async (signal) => {
    const { start } = await createHome();
    const child = start("sandbox serve --port 0 -o json");
    const { url } = JSON.parse(await firstChunk(child.stdout));
    const { port } = new URL(url);
    expect((await fetch(`${url}/v2/openapi.json`)).status).toBe(200);
    child.kill(signal);
    const { exitCode, stderr } = await child;
    expect(exitCode).toBe(0);
    expect(stderr).not.toMatch(/error/i);
    const again = createServer();
    await new Promise<void>((resolve, reject) => {
      again.once("error", reject).listen(Number(port), "127.0.0.1", resolve);
    });
    await new Promise((resolve) => again.close(resolve));
  });

  it("ends with SIGTERM while it generates pictures and speech", async () => {
    const { start } = await createHome();
    const child = start("sandbox serve --port 0 -o json");
    const { url, apiKey } = JSON.parse(await firstChunk(child.stdout));
    const post = (path: string, body: object) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}` },
        body: JSON.stringify(body),
      });
    const picture = { model_name: "SDXL1.0-base", prompt: "a lake", width: 2048, height: 2048 };
    const speech = { text: "Good morning. ".repeat(700), speed: 0.25 };
    const responses = [
      ...Array.from({ length: 8 }, () => post("/v1/image/generation", picture)),
      ...Array.from({ length: 2 }, () => post("/v1/audio/generation", speech)),
    ];
    const outcomes = Promise.allSettled(responses);
    // The response to a later request shows that the work has begun.
    await fetch(`${url}/v2/openapi.json`);
    child.kill("SIGTERM");
    expect((await child).exitCode).toBe(0);
    expect((await outcomes).filter(({ status }) => status === "rejected").length).toBeGreaterThan(6);
  }, 30_000);

  it("works with a third-party client, streamed or not", async () => {
    const { start } = await createHome();
    const child = start("sandbox serve --port 0 -o json");
    const { url, apiKey } = JSON.parse(await firstChunk(child.stdout));
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
    const input = {
      model: "sandbox-echo",
      messages: [{ role: "user" as const, content: "Say this back" }],
    };
    const whole = (await openai.chat.completions.create(input)).choices[0]?.message.content;
    expect(whole).toContain("Say this back");
    let streamed = "";
    for await (const { choices } of await openai.chat.completions.create({ ...input, stream: true })) {
      streamed += choices[0]?.delta.content ?? "";
    }
    expect(streamed).toBe(whole);
  });

  it("reports a port that is in use", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise<void>((resolve) => taken.close(() => resolve())));
    const address = taken.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { run } = await createHome();
    const { code, out, err } = await run(`sandbox serve --port ${port}`);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(String(port));
    expect(err).not.toContain("bug in gpuctl");
  });
});
