import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHome, key } from "../support/process.ts";
import { serveThirdParty } from "./third-party-server.ts";

const create = "rentals create bare-metal";

async function atService() {
  const writes: string[] = [];
  const server = await serveThirdParty({
    key,
    instead: {
      "POST /v2/on-demand/bare-metal-rentals": (_request, response) => {
        writes.push("POST");
        response.end("{}");
      },
    },
  });
  onTestFinished(() => server.close());
  return { writes, home: await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key }) };
}

describe.skipIf(process.platform === "win32")("at a prompt", () => {
  it.each(["ctrl-c", "ctrl-d"] as const)(
    "%s exits 130, sends nothing and restores the cursor",
    async (key) => {
      const { writes, home } = await atService();
      const terminal = home.onTerminal(create);
      await terminal.waitFor(/Network between the machines/);
      terminal.press(key);
      expect((await terminal.ended()).code).toBe(130);
      expect(writes).toEqual([]);
      expect(await terminal.leftovers()).toEqual([]);
      expect(terminal.text()).toContain("interrupted");
    },
  );

  it.each([
    ["text", "\r", /Number of GPUs/],
    ["a confirmation", "\r8\r", /billed until it ends/],
  ])("Ctrl-D exits 130 and sends nothing if the prompt is for %s", async (_name, before, question) => {
    const { writes, home } = await atService();
    const terminal = home.onTerminal(create);
    await terminal.waitFor(/Network between the machines/);
    terminal.type(before.slice(0, 1));
    await terminal.waitFor(/Number of GPUs/);
    terminal.type(before.slice(1));
    await terminal.waitFor(question);
    terminal.press("ctrl-d");
    expect((await terminal.ended()).code).toBe(130);
    expect(writes).toEqual([]);
  });

  it("an API key is not echoed, and Ctrl-D saves nothing", async () => {
    const home = await createHome();
    const terminal = home.onTerminal("auth login --base-url https://api.example.com");
    await terminal.waitFor(/API key/);
    terminal.type("secret");
    terminal.type("\u0015");
    terminal.press("ctrl-d");
    expect((await terminal.ended()).code).toBe(130);
    expect(terminal.bytes()).not.toContain("secret");
    await expect(readFile(join(home.folder, "config", "config.json"))).rejects.toThrow("ENOENT");
  });

  it("closing the terminal ends the process, and nothing is sent", async () => {
    const { writes, home } = await atService();
    const terminal = home.onTerminal(create);
    await terminal.waitFor(/Network between the machines/);
    terminal.close();
    const { code, signal } = await terminal.ended();
    expect([code, signal]).not.toEqual([0, 0]);
    expect(writes).toEqual([]);
  });

  it("a terminal of 20 columns is wide enough for the prompts", async () => {
    const home = await createHome({ GPUCTL_SANDBOX: "1" });
    const terminal = home.onTerminal(create, { columns: 20 });
    await terminal.waitFor("What to rent");
    await terminal.waitFor("Enter the");
    terminal.press("enter");
    await terminal.waitFor("billed until");
    terminal.type("y\r");
    expect((await terminal.ended()).code).toBe(0);
    expect(terminal.text()).toMatch(/--gpu-count\s*8/);
  });
});

describe.skipIf(process.platform === "win32")("setup in a terminal", () => {
  it("sets up the sandbox if it is selected and the defaults of all other prompts are accepted", async () => {
    const home = await createHome();
    const terminal = home.onTerminal("setup");
    await terminal.waitFor(/Name of the profile/);
    terminal.press("enter");
    await terminal.waitFor(/Where is the service/);
    terminal.press("down", "enter");
    for (const question of [/Region of new/, /GPU model of/, /Image model when/, /Chat model when/]) {
      await terminal.waitFor(question);
      terminal.press("enter");
    }
    expect((await terminal.ended()).code).toBe(0);
    const kept = JSON.parse(await readFile(join(home.folder, "config", "config.json"), "utf8"));
    expect(kept).toEqual({ version: 1, profile: "default", profiles: { default: { sandbox: true } } });
    expect((await home.run("rentals list -o json")).out).toBe("[]\n");
  });

  it("saves the answers so far if Ctrl-D is pressed in the middle", async () => {
    const home = await createHome();
    const terminal = home.onTerminal("setup", { columns: 40 });
    await terminal.waitFor(/Name of the profile/);
    terminal.type("play\r");
    await terminal.waitFor(/Where is the service/);
    terminal.press("down", "enter");
    await terminal.waitFor(/Region of new/);
    terminal.press("ctrl-d");
    expect((await terminal.ended()).code).toBe(130);
    const kept = JSON.parse(await readFile(join(home.folder, "config", "config.json"), "utf8"));
    expect(Object.values(kept.profiles)).toEqual([{ sandbox: true }]);
  });
});
