import { constants as os } from "node:os";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { createHome } from "../support/process.ts";
import type { Terminal } from "../support/terminal.ts";
import { sample } from "../support/thorough.ts";

const dumb = { env: { TERM: "dumb" } };

/** Expects no control sequences, no carriage returns within a line, and no changed terminal state. */
async function expectPlain(terminal: Terminal): Promise<void> {
  expect(terminal.bytes()).not.toMatch(/\u001b|\r(?!\n)/);
  expect(await terminal.leftovers()).toEqual([]);
}

describe.skipIf(process.platform === "win32")("on a dumb terminal", () => {
  test("line-by-line prompts create a rental", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl rentals create bare-metal --sandbox", dumb);
    await terminal.waitFor("Search (Enter lists all");
    terminal.type("nowhere\r");
    await terminal.waitFor(/> No choice contains this text\n[^>]*\? Search/);
    terminal.type("us-central-1\r");
    await terminal.waitFor(/1\) Enter the values manually\n {2}2\) .*us-central-1.*\n[^>]*\? Which one\?/);
    // The prompt accepts only the numbers in this list. The text of a choice may be a number too, such as "8", and an
    // offer is known internally by its position among all offers, from "0".
    for (const refused of ["Enter the values manually", "0"]) {
      terminal.type(`${refused}\r`);
      await terminal.waitFor(new RegExp(`${refused}\n> Enter a number from 1 to \\d+\n[^>]*\\? Which one`));
    }
    terminal.type("1\r");
    await terminal.waitFor(/1\) h100\n(?: {2}\d+\) .*\n)*\? Which one\? \(1\)/);
    terminal.type("9\r");
    await terminal.waitFor(/> Enter a number from 1 to [1-8]\n[^>]*\? Which one\?/);
    terminal.type("\r");
    await terminal.waitFor("(--gpu-count)");
    terminal.type("12\r");
    await terminal.waitFor(/> --gpu-count must be a multiple of 8\n.*\(--gpu-count\)/);
    terminal.type("8\r");
    await terminal.waitFor(/\(--region\)\n(?: {2}\d+\) .*\n)+\? Which one\?/);
    terminal.type("\r");
    await terminal.waitFor(/1\) infiniband\n {2}2\) ethernet\n.*Which one\?/);
    terminal.type("2\r");
    await terminal.waitFor("(y/N)");
    terminal.type("y\r");
    expect(await terminal.ended(), terminal.text()).toEqual({ code: exit.done, signal: 0 });
    await expectPlain(terminal);
    const { out } = await home.shell("gpuctl rentals list --sandbox -o json").ended;
    expect(JSON.parse(out)).toMatchObject([{ networkType: "ethernet", gpuCount: 8 }]);
  });

  test("Ctrl-D after a part of a line confirms nothing", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl rentals create vm --gpus 1 --sandbox", dumb);
    await terminal.waitFor("(y/N)");
    terminal.type("y");
    terminal.press("ctrl-d", "ctrl-d");
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: exit.interrupted });
    expect((await home.shell("gpuctl rentals list --sandbox -o id").ended).out).toBe("");
  });

  test("a key is not echoed while the user types it", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl auth login --base-url https://api.example.com", dumb);
    await terminal.waitFor("API key");
    terminal.type("two words\r");
    await terminal.waitFor(/> The key has spaces.*\n.*API key/);
    terminal.type("key-typed-unseen-1234\r");
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: exit.done });
    expect(terminal.bytes()).not.toMatch(/two words|unseen-1/);
    await expectPlain(terminal);
  });

  const prompts = [
    ["gpuctl rentals create bare-metal --sandbox", "Search (Enter lists all"],
    ["gpuctl rentals create bare-metal --gpu h100 --region us-central-1 --sandbox", "Which one?"],
    ["gpuctl reserve request --sandbox", "(--gpu-count)"],
    ["gpuctl rentals create vm --gpus 1 --sandbox", "(y/N)"],
    ["gpuctl auth login --base-url https://api.example.com", "API key"],
  ] as const;

  /** Both keys in a thorough run, otherwise one of them, alternately. */
  const keysAt = (prompt: string) =>
    sample(["ctrl-c", "ctrl-d"] as const, prompts.findIndex((one) => one[1] === prompt) % 2);

  test.each(prompts)("Ctrl-C and Ctrl-D end the process: %s", async (line, prompt) => {
    for (const key of keysAt(prompt)) {
      const home = await createHome();
      const terminal = home.shellOnTerminal(line, dumb);
      await terminal.waitFor(prompt);
      terminal.press(key);
      expect(await terminal.ended(), terminal.text()).toEqual({ code: exit.interrupted, signal: 0 });
      await expectPlain(terminal);
    }
  });

  test.each(sample(prompts, 1, 4))("closing the terminal ends the process: %s", async (line, prompt) => {
    const home = await createHome();
    const terminal = home.shellOnTerminal(`exec ${line}`, dumb);
    await terminal.waitFor(prompt);
    terminal.close();
    expect(await terminal.ended()).toEqual({ code: 0, signal: os.signals.SIGHUP });
  });
});
