import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exit } from "../../../src/cli/report/exit.ts";
import { createHome } from "../../support/process.ts";
import { createRentedHome } from "../../support/rented-home.ts";

/** Text between the marks that a terminal sends around a paste. */
const marked = (text: string) => `\u001b[200~${text}\u001b[201~`;

/** Two C1 controls, an override of the text direction, and a zero-width space. */
const unwanted = "\u009b\u202e\u200b\u009d";

const picker = { line: "gpuctl rentals create vm --sandbox", prompt: "type to search" };
const text = { line: "gpuctl image --sandbox", prompt: "(PROMPT)" };

describe.skipIf(process.platform === "win32")("a long paste", () => {
  test.each([
    ["a list", picker],
    ["a text", text],
  ])("into the prompt for %s is drawn only a few times, and Ctrl-C works", async (_, { line, prompt }) => {
    const home = await createHome();
    const terminal = home.shellOnTerminal(line);
    await terminal.waitFor(prompt);
    const before = terminal.bytes().length;
    terminal.type("pasted words ".repeat(300));
    await terminal.waitFor("pasted words ".repeat(20));
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
    expect(terminal.bytes().length - before).toBeLessThan(100_000);
    expect(await terminal.leftovers()).toEqual([]);
  });

  test("whose keys take long to handle does not delay Ctrl-C", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal(picker.line);
    await terminal.waitFor(picker.prompt);
    terminal.type("\u001b[B\u001b[A".repeat(600));
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
    expect(terminal.bytes().match(/type to search|to search/g)?.length).toBeLessThan(400);
    expect(await terminal.leftovers()).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32")("a paste", () => {
  test.each([
    ["marked", marked],
    ["not marked", (pasted: string) => pasted],
  ])("does not send control and invisible characters to the terminal: %s", async (_, paste) => {
    const home = await createHome();
    for (const { line, prompt } of [picker, text]) {
      const terminal = home.shellOnTerminal(line);
      await terminal.waitFor(prompt);
      terminal.type(paste(`one${unwanted}two`));
      await terminal.waitFor("onetwo");
      terminal.press("ctrl-c");
      expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
      expect(terminal.bytes()).not.toMatch(new RegExp(`[${unwanted}]`));
    }
  });

  test("of several lines confirms nothing", async () => {
    const home = await createRentedHome(["train"]);
    const terminal = home.shellOnTerminal("gpuctl rentals terminate 1001 --sandbox");
    await terminal.waitFor("(y/N)");
    terminal.type(marked("y\ry\n"));
    await terminal.waitFor("y y");
    terminal.press("ctrl-c");
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: exit.interrupted });
    expect(await terminal.leftovers()).toEqual([]);
    expect((await home.shell("gpuctl rentals list --sandbox -o id").ended).out).toBe("1001\n");
  });

  test.each([
    [
      "contains an end mark that a dropped character interrupts",
      "\u001b[200~x\u001b\u200b[201~\u0015y\r\u001b[201~",
    ],
    ["follows an Escape key", `\u001b${marked("y\r")}`],
    ["follows the start of a sequence", `\u001b[${marked("y\r")}`],
  ])("confirms nothing if it %s", async (_, typed) => {
    const home = await createRentedHome(["train"]);
    const terminal = home.shellOnTerminal("gpuctl rentals terminate 1001 --sandbox");
    await terminal.waitFor("(y/N)");
    terminal.type(`${typed}.`);
    await terminal.waitFor(/\(y\/N\) .*\.$/);
    terminal.press("ctrl-c");
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: exit.interrupted });
    expect((await home.shell("gpuctl rentals list --sandbox -o id").ended).out).toBe("1001\n");
  });

  test("that ends with a line break is not an answer until Enter is pressed", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl setup");
    await terminal.waitFor("Name of the profile");
    terminal.type(marked("play\r\n"));
    await terminal.waitFor(/profile.*play/);
    terminal.press("enter");
    await terminal.waitFor("type to search");
    terminal.press("down", "enter");
    await terminal.waitFor("Region of new");
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
    const kept = JSON.parse(await readFile(join(home.folder, "config", "config.json"), "utf8"));
    expect(kept.profiles).toEqual({ play: { sandbox: true } });
  });

  test("that began at another question confirms nothing", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal(
      "gpuctl rentals create bare-metal --gpu-type h100 --region us-central-1 --network-type ethernet --sandbox",
    );
    await terminal.waitFor("manually");
    terminal.press("up", "enter");
    await terminal.waitFor("(--gpu-count)");
    const paste = marked("y\ry\r");
    const middle = paste.indexOf("\r") + 1;
    terminal.type(`8\r${paste.slice(0, middle)}`);
    await terminal.waitFor("(y/N)");
    terminal.type(`${paste.slice(middle)}.`);
    await terminal.waitFor(/\(y\/N\) .*\.$/);
    terminal.press("ctrl-c");
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: exit.interrupted });
    expect((await home.shell("gpuctl rentals list --sandbox -o id").ended).out).toBe("");
  });

  test("that is not marked answers only the question at which it arrives", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal(
      "gpuctl rentals create bare-metal --gpu-type h100 --region us-central-1 --network-type ethernet --sandbox",
    );
    await terminal.waitFor("manually");
    terminal.press("up", "enter");
    await terminal.waitFor("(--gpu-count)");
    terminal.type(`8\r${"y\r".repeat(1_500)}`);
    await terminal.waitFor("(y/N)");
    terminal.press("ctrl-c");
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: exit.interrupted });
    expect((await home.shell("gpuctl rentals list --sandbox -o id").ended).out).toBe("");
  });
});

describe.skipIf(process.platform === "win32")("typed characters", () => {
  test("that are dropped do not join the characters around them into a key", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal(text.line);
    await terminal.waitFor(text.prompt);
    terminal.type("ab\u001b\u200b[D\u001b[\u200bDc");
    await terminal.waitFor("ab[DDc");
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
  });

  test("that end with a line break of two characters answer once", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal(
      "gpuctl rentals create bare-metal --gpu-type h100 --region us-central-1 --network-type ethernet --sandbox",
    );
    await terminal.waitFor("manually");
    terminal.press("up", "enter");
    await terminal.waitFor("(--gpu-count)");
    terminal.type("bad\r\n");
    await terminal.waitFor("must be");
    terminal.type(".");
    await terminal.waitFor(/\(--gpu-count\)\s+\w+\.$/);
    expect(terminal.text()).toMatch(/\(--gpu-count\)\s+bad\.$/);
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
  });
});

test.skipIf(process.platform === "win32")(
  "Ctrl-D does nothing after typed text, and exits from an empty prompt, as in a shell",
  async () => {
    const home = await createHome();
    for (const { line, prompt } of [picker, text]) {
      const terminal = home.shellOnTerminal(line);
      await terminal.waitFor(prompt);
      terminal.type("ab");
      terminal.press("ctrl-d");
      terminal.type("c");
      await terminal.waitFor("abc");
      terminal.type("\u0015");
      terminal.press("ctrl-d");
      expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
    }
  },
);
