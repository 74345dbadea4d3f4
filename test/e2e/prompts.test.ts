import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHome, key } from "./command.ts";
import { serveForeign } from "./foreign-server.ts";
import { inTerminal } from "./terminal.ts";

const create = "rentals create bare-metal";
const showCursor = "\u001b[?25h";

async function atService() {
  const asked: string[] = [];
  const server = await serveForeign({
    key,
    instead: {
      "POST /v2/on-demand/bare-metal-rentals": (_request, response) => {
        asked.push("POST");
        response.end("{}");
      },
    },
  });
  onTestFinished(() => server.close());
  return { asked, home: await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key }) };
}

describe.skipIf(process.platform === "win32")("at a question", () => {
  it.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s exits 130, sends nothing and gives the cursor back", async (_name, keys) => {
    const { asked, home } = await atService();
    const session = inTerminal(home, create);
    await session.shows(/Network between the machines/);
    session.type(keys);
    expect((await session.ended).exitCode).toBe(130);
    expect(asked).toEqual([]);
    const raw = session.raw();
    expect(raw.lastIndexOf(showCursor)).toBeGreaterThanOrEqual(raw.lastIndexOf("\u001b[?25l"));
    expect(session.screen()).toContain("interrupted");
  });

  it.each([
    ["text", "\r", /Number of GPUs/],
    ["a confirmation", "\r8\r", /billed until it ends/],
  ])("Ctrl-D at %s does the same", async (_name, before, question) => {
    const { asked, home } = await atService();
    const session = inTerminal(home, create);
    await session.shows(/Network between the machines/);
    session.type(before.slice(0, 1));
    await session.shows(/Number of GPUs/);
    session.type(before.slice(1));
    await session.shows(question);
    session.type("\u0004");
    expect((await session.ended).exitCode).toBe(130);
    expect(asked).toEqual([]);
  });

  it("a key is not shown, and Ctrl-D there keeps nothing", async () => {
    const home = await createHome();
    const session = inTerminal(home, "auth login --base-url https://api.example.com");
    await session.shows(/API key/);
    session.type("secret");
    session.type("\u0015\u0004");
    expect((await session.ended).exitCode).toBe(130);
    expect(session.raw()).not.toContain("secret");
    await expect(readFile(join(home.folder, "config", "config.json"))).rejects.toThrow("ENOENT");
  });

  it("a window that closes ends it, and nothing is sent", async () => {
    const { asked, home } = await atService();
    const session = inTerminal(home, create);
    await session.shows(/Network between the machines/);
    session.close();
    const { exitCode, signal } = await session.ended;
    expect([exitCode, signal]).not.toEqual([0, 0]);
    expect(asked).toEqual([]);
  });

  it("a window of 20 columns is wide enough", async () => {
    const home = await createHome({ GPUCTL_SANDBOX: "1" });
    const session = inTerminal(home, create, 20);
    await session.shows(/Network *between/);
    session.type("\r");
    await session.shows(/Number *of *GPUs/);
    session.type("8\r");
    await session.shows(/billed *until/);
    session.type("y\r");
    expect((await session.ended).exitCode).toBe(0);
    expect(session.screen()).toMatch(/--gpu-count *8/);
  });
});

describe.skipIf(process.platform === "win32")("setup in a terminal", () => {
  it("sets up the sandbox with the Enter key and little else", async () => {
    const home = await createHome();
    const session = inTerminal(home, "setup");
    await session.shows(/Name of the profile/);
    session.type("\r");
    await session.shows(/Where is the service/);
    session.type("\u001b[B\r");
    for (const question of [/Region of new/, /GPU model of/, /Image model when/, /Chat model when/]) {
      await session.shows(question);
      session.type("\r");
    }
    expect((await session.ended).exitCode).toBe(0);
    const kept = JSON.parse(await readFile(join(home.folder, "config", "config.json"), "utf8"));
    expect(kept).toEqual({ profile: "default", profiles: { default: { sandbox: true } } });
    expect((await home.run("rentals list -o json")).out).toBe("[]\n");
  });

  it("Ctrl-D in the middle keeps what was answered", async () => {
    const home = await createHome();
    const session = inTerminal(home, "setup", 40);
    await session.shows(/Name of the profile/);
    session.type("play\r");
    await session.shows(/Where is the service/);
    session.type("\u001b[B\r");
    await session.shows(/Region of new/);
    session.type("\u0004");
    expect((await session.ended).exitCode).toBe(130);
    const kept = JSON.parse(await readFile(join(home.folder, "config", "config.json"), "utf8"));
    expect(Object.values(kept.profiles)).toEqual([{ sandbox: true }]);
  });
});
