import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import type { Environment } from "../support/process.ts";
import { createHome, key } from "../support/process.ts";
import { createRentedHome } from "../support/rented-home.ts";
import { sample } from "../support/thorough.ts";

/** A wait that times out, after it has shown progress. */
const waitUntilTimeout =
  "gpuctl rentals wait 1001 --for terminated --wait-timeout 1s --interval 200ms --sandbox";

async function runUntilTimeout(env: Environment = {}, flags = "") {
  const home = await createRentedHome(["trainer"]);
  const terminal = home.shellOnTerminal(`${waitUntilTimeout} ${flags}`, { env });
  expect(await terminal.ended(), terminal.text()).toMatchObject({ code: exit.notReady });
  expect(terminal.text()).toMatch(/Error: .*rental 1001 is .*terminated/);
  expect(await terminal.leftovers()).toEqual([]);
  return terminal;
}

const color = /\u001b\[[\d;]*m/;
const anySequence = /\u001b/;
const hidesCursor = "\u001b[?25l";

describe.skipIf(process.platform === "win32")("progress", () => {
  test("has no color with NO_COLOR", async () => {
    const terminal = await runUntilTimeout({ NO_COLOR: "1" });
    expect(terminal.bytes()).toContain("Waiting until rental 1001 is terminated");
    expect(terminal.bytes()).not.toMatch(color);
  });

  test("is animated on a terminal, then cleared, and the cursor is restored", async () => {
    const terminal = await runUntilTimeout();
    expect(terminal.bytes()).toContain("Waiting until rental 1001 is terminated");
    expect(terminal.bytes()).toContain(hidesCursor);
    expect(terminal.bytes()).toMatch(color);
    expect(terminal.text()).not.toContain("Waiting until");
  });

  const places: readonly (readonly [string, Environment])[] = [
    ["on a dumb terminal", { TERM: "dumb" }],
    ["in CI", { CI: "true" }],
  ];
  test.each(sample(places, 1))("is not animated %s", async (_where, env) => {
    const terminal = await runUntilTimeout(env);
    expect(terminal.bytes()).not.toMatch(anySequence);
    expect(terminal.bytes().replaceAll("\r\n", "")).not.toContain("\r");
  });

  test("is not animated with --quiet", async () => {
    const terminal = await runUntilTimeout({}, "--quiet");
    expect(terminal.bytes()).not.toMatch(anySequence);
    expect(terminal.text()).toMatch(/^Error: /);
  });

  test("is not part of the result", async () => {
    const home = await createRentedHome(["trainer"]);
    const line = "gpuctl rentals wait 1001 --for running --interval 500ms --sandbox -o json > result.json";
    const terminal = home.shellOnTerminal(line);
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: exit.done });
    expect(terminal.bytes()).toContain(hidesCursor);
    expect(await terminal.leftovers()).toEqual([]);
    expect(JSON.parse(await readFile(join(home.folder, "result.json"), "utf8"))).toMatchObject({ id: 1001 });
  });

  test("and all other messages are omitted with --quiet", async () => {
    const home = await createHome();
    const line = "gpuctl rentals create vm --gpus 1 --wait --yes --sandbox --quiet > result.txt";
    const terminal = home.shellOnTerminal(line);
    expect(await terminal.ended()).toMatchObject({ code: exit.done });
    expect(terminal.bytes()).toBe("");
  });
});

describe.skipIf(process.platform === "win32")("a result on a terminal", () => {
  async function shown(env: Environment) {
    const home = await createRentedHome(["trainer"], env);
    const commands = ["list", "get 1001", "get 9"].map((words) => `gpuctl rentals ${words} --sandbox`);
    const terminal = home.shellOnTerminal(commands.join("; "));
    expect(await terminal.ended()).toMatchObject({ code: exit.notFound });
    expect(await terminal.leftovers()).toEqual([]);
    expect(terminal.text()).toMatch(/^1001 .*\n(?:.*\n)*ID: +1001\n(?:.*\n)*Error: rental 9 not found/m);
    return terminal.bytes();
  }

  test("has colors", async () => {
    expect(await shown({})).toMatch(color);
  });

  test("has no colors with NO_COLOR", async () => {
    expect(await shown({ NO_COLOR: "1" })).not.toMatch(color);
  });

  test("has no control sequence on a dumb terminal", async () => {
    expect(await shown({ TERM: "dumb" })).not.toMatch(anySequence);
  });
});

describe.skipIf(process.platform === "win32")("the progress of several images", () => {
  test("shows how much of a small image has arrived, and never a wait of zero seconds", async () => {
    const half = Buffer.alloc(30 * 1024).toString("base64");
    const end = (response: ServerResponse) => response.end(`${half}","random_seed":7}]}`);
    let first: ServerResponse | undefined;
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      if (requests === 2) response.writeHead(429, { "Retry-After": "1" }).end("{}");
      else {
        response.writeHead(200, { "Content-Type": "application/json" });
        response.write(`{"images":[{"index":0,"image":"${half}`);
        if (requests === 1) first = response;
        else end(response);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const home = await createHome({ GPUCTL_BASE_URL: `http://127.0.0.1:${port}`, GPUCTL_API_KEY: key });
    const terminal = home.shellOnTerminal("gpuctl image cat -n 2 --steps 1");
    await terminal.waitFor(/1 {2}generating, 30 KiB received/);
    await terminal.waitFor("retrying");
    if (first) end(first);
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: exit.done });
    expect(terminal.bytes()).toContain("waiting 1s (rate limited)");
    expect(terminal.bytes()).not.toContain("waiting 0s");
  });
});
