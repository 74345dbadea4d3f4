import { describe, expect, it, onTestFinished } from "vitest";
import { cursorMoves } from "../support/terminal-screen.ts";
import { createHome, key } from "./command.ts";
import { virtualMachine } from "./foreign-records.ts";
import { send, serveForeign } from "./foreign-server.ts";
import { onTerminal } from "./on-terminal.ts";

const restored = { hidden: 1, shown: 1, last: "shown" };

/** A service whose rental never starts, or never answers at all. */
async function slow({ silent = false } = {}) {
  const pending = { ...virtualMachine, status: "Pending", state: "pending" };
  const server = await serveForeign({
    key,
    instead: {
      "GET /v2/on-demand/rental": (_asked, response) => {
        if (!silent) send(response, pending);
      },
    },
  });
  onTestFinished(() => server.close());
  return createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
}

const waits = "rentals wait 18026 --interval 1s";
const watches = "rentals list --watch 1s";

describe.skipIf(process.platform === "win32")("the cursor comes back", () => {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

  it.each(signals)("after %s while something is waited for", async (signal) => {
    const terminal = onTerminal(waits, await slow());
    await terminal.waitFor(/it is pending/i);
    terminal.kill(signal);
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    expect(cursorMoves(terminal.bytes())).toEqual(restored);
  });

  it.each(signals)("after %s in a watch, which says nothing more", async (signal) => {
    const terminal = onTerminal(watches, await slow());
    await terminal.waitFor(/Ctrl-C leaves/);
    terminal.kill(signal);
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    expect(cursorMoves(terminal.bytes())).toEqual(restored);
    expect(terminal.bytes()).not.toContain("Error");
  });

  it.each([waits, watches])("after Ctrl-C on the keyboard: %s", async (line) => {
    const terminal = onTerminal(line, await slow());
    await terminal.waitFor(/it is pending|Ctrl-C leaves/i);
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    expect(cursorMoves(terminal.bytes())).toEqual(restored);
  });

  it("after Ctrl-\\", async () => {
    const terminal = onTerminal(watches, await slow());
    await terminal.waitFor(/Ctrl-C leaves/);
    terminal.type("\u001c");
    expect(await terminal.ended()).toMatchObject({ signal: 3 });
    expect(cursorMoves(terminal.bytes())).toEqual(restored);
  });

  it("while it is stopped by Ctrl-Z", async () => {
    const terminal = onTerminal(watches, await slow());
    await terminal.waitFor(/Ctrl-C leaves/);
    terminal.kill("SIGTSTP");
    await terminal.waitFor(() => cursorMoves(terminal.bytes()).shown === 1);
    // It is stopped a moment after it has shown the cursor, and nobody tells when.
    const waking = setInterval(() => terminal.kill("SIGCONT"), 20);
    await terminal
      .waitFor(() => cursorMoves(terminal.bytes()).hidden === 2)
      .finally(() => clearInterval(waking));
    terminal.kill("SIGINT");
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    expect(cursorMoves(terminal.bytes())).toEqual({ hidden: 2, shown: 2, last: "shown" });
  });

  it("after time is up, and after an error", async () => {
    const home = await slow();
    const late = onTerminal(`${waits} --wait-timeout 1s`, home);
    expect(await late.ended()).toMatchObject({ code: 8 });
    expect(cursorMoves(late.bytes())).toEqual(restored);
    const wrong = onTerminal(
      "rentals get 1",
      await createHome({ ...home.env, GPUCTL_BASE_URL: "http://127.0.0.1:9" }),
    );
    expect(await wrong.ended()).toMatchObject({ code: 9 });
    expect(cursorMoves(wrong.bytes()).hidden).toBe(cursorMoves(wrong.bytes()).shown);
  });

  it("after a fault that nobody foresaw", async () => {
    const home = await slow({ silent: true });
    const script = "process.on('SIGUSR2', () => { throw new Error('unforeseen'); })";
    const terminal = onTerminal(waits, home, {
      env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` },
    });
    await terminal.waitFor(/Waiting until/);
    terminal.kill("SIGUSR2");
    expect((await terminal.ended()).code).not.toBe(0);
    expect(cursorMoves(terminal.bytes())).toEqual(restored);
  });
});

describe.skipIf(process.platform === "win32")("where nothing may move", () => {
  it.each([{ TERM: "dumb" }, { CI: "1" }])("no control sequence is written with %j", async (env) => {
    const home = await slow();
    const waiting = onTerminal(`${waits} --wait-timeout 1s --color never`, home, { env });
    expect(await waiting.ended()).toMatchObject({ code: 8 });
    expect(waiting.bytes()).toMatch(/^Waiting until rental 18026 is running\r\n/);
    expect(waiting.bytes()).not.toContain("\u001b");
    const watching = onTerminal(`${watches} --color never`, home, { env });
    await watching.waitFor(/Ctrl-C leaves[\s\S]*18026|18026[\s\S]*Ctrl-C leaves/);
    watching.kill("SIGINT");
    await watching.ended();
    expect(watching.bytes()).not.toContain("\u001b");
  });

  it("a spinner without colours is one of NO_COLOR", async () => {
    const terminal = onTerminal(`${waits} --wait-timeout 1s`, await slow(), { env: { NO_COLOR: "1" } });
    await terminal.ended();
    expect(terminal.bytes()).not.toMatch(/\u001b\[\d+m/);
    expect(cursorMoves(terminal.bytes())).toEqual(restored);
  });
});
