import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { oneCtrlC } from "../../src/system/interruption.ts";
import { createHome, gpuctl, key } from "../support/process.ts";
import { thorough } from "../support/thorough.ts";

const kills = thorough ? 20 : 2;
const lines = kills * 40;
const concurrency = 4;

test(`a batch that is killed ${kills} times pays for no line twice`, async () => {
  /** How often each question has reached the service. */
  const accepted = new Map<string, number>();
  let requests = 0;
  /** After this many requests the service stops responding, so that some are in flight when the process is killed. */
  let until = 0;
  let onRequest = (): void => {};
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const { messages } = JSON.parse(text) as { messages: { content: string }[] };
      const question = messages[0]?.content ?? "";
      accepted.set(question, (accepted.get(question) ?? 0) + 1);
      requests += 1;
      if (requests > until) return onRequest();
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ choices: [{ message: { content: "Hi" } }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const home = await createHome({ GPUCTL_API_KEY: key });
  const line = `batch run in.jsonl --out out.jsonl --concurrency ${concurrency} --base-url http://127.0.0.1:${port}`;
  const input = Array.from({ length: lines }, (_, index) => ({
    custom_id: `line-${index}`,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: "m", messages: [{ role: "user", content: `Question ${index}` }] },
  }));
  await writeFile(join(home.folder, "in.jsonl"), input.map((one) => `${JSON.stringify(one)}\n`).join(""));

  for (let kill = 0; kill < kills; kill += 1) {
    until = requests + 7 + ((kill * 13) % 19);
    const reached = new Promise<void>((resolve) => {
      onRequest = resolve;
    });
    const child = home.start(line);
    await Promise.race([reached, child]);
    if (kill === 0) {
      const { code, err } = await home.run(line);
      expect({ code, err }).toEqual({
        code: exit.usage,
        err: expect.stringContaining(`process ${child.pid}`),
      });
    }
    child.kill("SIGKILL");
    await child;
  }
  until = Number.POSITIVE_INFINITY;
  const { code, out, err } = await home.run(`${line} -o json`);
  expect([exit.done, exit.someFailed], err).toContain(code);
  const { succeeded, unknown, left } = JSON.parse(out) as Record<string, number>;
  expect({ total: (succeeded ?? 0) + (unknown ?? 0), left }).toEqual({ total: lines, left: 0 });
  expect([...accepted.values()].filter((count) => count > 1)).toEqual([]);
  expect(accepted.size).toBeLessThanOrEqual(lines);
  const ids = (await readFile(join(home.folder, "out.jsonl"), "utf8"))
    .trimEnd()
    .split("\n")
    .map((text) => (JSON.parse(text) as { custom_id: string }).custom_id);
  expect(new Set(ids).size).toBe(lines);
  expect(ids).toHaveLength(lines);
});

test.skipIf(process.platform === "win32")(
  "a second Ctrl-C ends a batch at once, and what was in flight is not sent again",
  async () => {
    let requests = 0;
    let onAllInFlight = (): void => {};
    const allInFlight = new Promise<void>((resolve) => {
      onAllInFlight = resolve;
    });
    // A service that never responds.
    const server = createServer((request) => {
      request.resume();
      requests += 1;
      if (requests === concurrency) onAllInFlight();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const home = await createHome({ GPUCTL_API_KEY: key });
    await writeFile(join(home.folder, "prompts.txt"), "one\ntwo\nthree\nfour\n");
    const line = `batch run --prompts prompts.txt --endpoint chat --model m --out out.jsonl --concurrency ${concurrency} --base-url http://127.0.0.1:${port}`;
    const child = home.start(line);
    let err = "";
    const isStopping = new Promise<void>((resolve) => {
      child.stderr?.on("data", (chunk) => {
        err += chunk;
        if (err.includes("Stopping after the 4 requests in flight.")) resolve();
      });
    });
    await allInFlight;
    child.kill("SIGINT");
    await isStopping;
    expect(child.exitCode).toBeNull();
    // An earlier second signal would count as part of the first Ctrl-C.
    await sleep(2 * oneCtrlC);
    child.kill("SIGINT");
    const ended = await child;
    expect(ended.exitCode).toBe(exit.interrupted);
    expect(ended.stderr).toContain(`Of 4 lines, ${concurrency} have an unknown outcome.`);

    const again = await home.run(`${line} -o json`);
    expect(again.code).toBe(exit.someFailed);
    expect(JSON.parse(again.out)).toMatchObject({ unknown: concurrency, left: 0 });
    expect(requests).toBe(concurrency);
  },
);

test.skipIf(process.platform === "win32")(
  "a limit on the size of files is reported like a full disk, and what was paid for is saved elsewhere",
  async () => {
    let requests = 0;
    const server = createServer((request, response) => {
      request.resume();
      requests += 1;
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ choices: [{ message: { content: "x".repeat(600) } }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const home = await createHome({ GPUCTL_API_KEY: key });
    // A file has room for 10 of these results. The output gets at least one of the 11; a second file gets the rest.
    const prompts = Array.from({ length: 11 }, (_, index) => `Question ${index}\n`);
    await writeFile(join(home.folder, "prompts.txt"), prompts.join(""));
    const { code, err } = await home.run(
      `batch run --prompts prompts.txt --endpoint chat --model m --out out.jsonl --concurrency ${concurrency} --base-url http://127.0.0.1:${port}`,
      { command: ["sh", "-c", 'ulimit -f 16 && exec "$0" "$@"', ...gpuctl] },
    );
    expect(code, err).toBe(exit.fault);
    const [, count = "", path = ""] =
      /(\d+) results? could not be written: .*\. Saved to (\S+) instead/.exec(err) ?? [];
    const saved = (await readFile(path, "utf8")).trimEnd().split("\n");
    expect(saved).toHaveLength(Number(count));
    const written = (await readFile(join(home.folder, "out.jsonl"), "utf8")).split("\n").slice(0, -1);
    const ids = [...written, ...saved].map((text) => (JSON.parse(text) as { custom_id: string }).custom_id);
    expect(new Set(ids).size).toBe(requests);
  },
);
