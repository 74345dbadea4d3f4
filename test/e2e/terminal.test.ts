import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHome, key } from "../support/process.ts";
import { cursorMoves, leftoversIn, type Terminal, withLastFrameCut } from "../support/terminal.ts";
import { sample } from "../support/thorough.ts";
import { virtualMachine } from "./third-party-records.ts";
import { send, serveThirdParty } from "./third-party-server.ts";

/** Expects a visible cursor, and restored modes even if the terminal does not receive the end of the last frame. */
async function expectRestored(terminal: Terminal): Promise<void> {
  expect(cursorMoves(terminal.bytes())).toEqual(restored);
  expect(terminal.bytes()).toMatch(/\u001b\[\?2026h.*\u001b\[36m/s);
  expect(await leftoversIn(withLastFrameCut(terminal.bytes()))).toEqual([]);
}

const restored = { hidden: 1, shown: 1, last: "shown" };

/** A home for a service with a rental that never starts. A `silent` service does not even respond to a lookup. */
async function slow({ silent = false } = {}) {
  const pending = { ...virtualMachine, status: "Pending", state: "pending" };
  const server = await serveThirdParty({
    key,
    instead: {
      "GET /v2/on-demand/rental": (_request, response) => {
        if (!silent) send(response, pending);
      },
    },
  });
  onTestFinished(() => server.close());
  return createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
}

const waits = "rentals wait 18026 --interval 1s";
const watches = "rentals list --watch 1s";

describe.skipIf(process.platform === "win32")("the terminal is restored", () => {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

  test.each(sample(signals, 1, 2))("after %s during a wait", async (signal) => {
    const terminal = (await slow()).onTerminal(waits);
    await terminal.waitFor(/it is pending/i);
    terminal.kill(signal);
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    await expectRestored(terminal);
  });

  test.each(sample(signals, 0))("after %s in a watch, without an error", async (signal) => {
    const terminal = (await slow()).onTerminal(watches);
    await terminal.waitFor(/press Ctrl-C to exit/);
    terminal.kill(signal);
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    expect(cursorMoves(terminal.bytes())).toEqual(restored);
    expect(terminal.bytes()).not.toContain("Error");
  });

  test.each(sample([waits, watches], 0))("after Ctrl-C on the keyboard: %s", async (line) => {
    const terminal = (await slow()).onTerminal(line);
    await terminal.waitFor(/it is pending|press Ctrl-C to exit/i);
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    expect(cursorMoves(terminal.bytes())).toEqual(restored);
  });

  test("after Ctrl-\\, or a second Ctrl-C, during a wait", async () => {
    for (const signals of [["SIGQUIT"], ["SIGINT", "SIGINT"]] as const) {
      const terminal = (await slow({ silent: true })).onTerminal(waits);
      await terminal.waitFor(/Waiting until/);
      for (const signal of signals) terminal.kill(signal);
      await terminal.ended();
      await expectRestored(terminal);
    }
  });

  test("after Ctrl-\\ in a watch", async () => {
    const terminal = (await slow()).onTerminal(watches);
    await terminal.waitFor(/press Ctrl-C to exit/);
    terminal.type("\u001c");
    expect(await terminal.ended()).toMatchObject({ signal: 3 });
    expect(cursorMoves(terminal.bytes())).toEqual(restored);
  });

  test("while gpuctl is stopped by Ctrl-Z", async () => {
    const terminal = (await slow()).onTerminal(watches);
    await terminal.waitFor(/press Ctrl-C to exit/);
    terminal.kill("SIGTSTP");
    await terminal.waitFor(() => cursorMoves(terminal.bytes()).shown === 1);
    // The process stops shortly after it shows the cursor, and nothing reports the exact moment.
    const waking = setInterval(() => terminal.kill("SIGCONT"), 20);
    await terminal
      .waitFor(() => cursorMoves(terminal.bytes()).hidden === 2)
      .finally(() => clearInterval(waking));
    terminal.kill("SIGINT");
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    expect(cursorMoves(terminal.bytes())).toEqual({ hidden: 2, shown: 2, last: "shown" });
  });

  test("after a timeout, and after an error", async () => {
    const home = await slow();
    const late = home.onTerminal(`${waits} --wait-timeout 1s`);
    expect(await late.ended()).toMatchObject({ code: 8 });
    await expectRestored(late);
    const wrong = (await createHome({ ...home.env, GPUCTL_BASE_URL: "http://127.0.0.1:9" })).onTerminal(
      "rentals get 1",
    );
    expect(await wrong.ended()).toMatchObject({ code: 9 });
    expect(cursorMoves(wrong.bytes()).hidden).toBe(cursorMoves(wrong.bytes()).shown);
  });

  test("after an uncaught error", async () => {
    const home = await slow({ silent: true });
    const script = join(home.folder, "throws.cjs");
    await writeFile(script, "process.on('SIGUSR2', () => { throw new Error('unforeseen'); });");
    // Bun, which the single executable contains, reads BUN_OPTIONS instead.
    const terminal = home.onTerminal(waits, {
      env: { NODE_OPTIONS: `--require ${script}`, BUN_OPTIONS: `--preload ${script}` },
    });
    await terminal.waitFor(/Waiting until/);
    terminal.kill("SIGUSR2");
    expect(await terminal.ended()).toMatchObject({ code: 1 });
    await expectRestored(terminal);
  });
});

describe.skipIf(process.platform === "win32")("output without colors or without animation", () => {
  test.each(sample([{ TERM: "dumb" }, { CI: "1" }], 0))(
    "no control sequence is written with %j",
    async (env) => {
      const home = await slow();
      const waiting = home.onTerminal(`${waits} --wait-timeout 1s --color never`, { env });
      expect(await waiting.ended()).toMatchObject({ code: 8 });
      expect(waiting.bytes()).toMatch(/^Waiting until rental 18026 is running\r\n/);
      expect(waiting.bytes()).not.toContain("\u001b");
      const watching = home.onTerminal(`${watches} --color never`, { env });
      await watching.waitFor(/press Ctrl-C to exit[\s\S]*18026|18026[\s\S]*press Ctrl-C to exit/);
      watching.kill("SIGINT");
      await watching.ended();
      expect(watching.bytes()).not.toContain("\u001b");
    },
  );

  test("a spinner has no colors with NO_COLOR", async () => {
    const terminal = (await slow()).onTerminal(`${waits} --wait-timeout 1s`, { env: { NO_COLOR: "1" } });
    await terminal.ended();
    expect(terminal.bytes()).not.toMatch(/\u001b\[\d+m/);
    expect(cursorMoves(terminal.bytes())).toEqual(restored);
  });
});

test.skipIf(process.platform === "win32")(
  "a table aligns recent emoji and combining characters",
  async () => {
    const labels = ["🫠", "สวัสดี", "e\u0301", "👨‍👩‍👧"];
    const rentals = labels.map((name) => ({ ...virtualMachine, name }));
    const server = await serveThirdParty({
      key,
      instead: {
        "GET /v2/on-demand/virtual-machine-rentals": (_request, response) => send(response, rentals),
      },
    });
    onTestFinished(() => server.close());
    const home = await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
    const terminal = home.onTerminal("rentals list --type vm --columns id,label,region", { columns: 60 });
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    const rows = terminal.bytes().split(/\r?\n/);
    for (const row of [
      "18026  🫠     us-central-1",
      "18026  สวัสดี   us-central-1",
      "18026  e\u0301      us-central-1",
      "18026  👨‍👩‍👧     us-central-1",
    ]) {
      expect(rows).toContain(row);
    }
  },
);
