import { constants as os } from "node:os";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { homeWithServer } from "../support/chat-server.ts";
import { addProgram, createHome } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { sample } from "../support/thorough.ts";

const chat = "gpuctl chat --sandbox";

describe.skipIf(process.platform === "win32").each(sample([80, 120], 0))(
  "a conversation in %i columns",
  (columns) => {
    test("answers, completes commands, remembers lines across runs, and ends with Ctrl-D", async () => {
      const home = await createHome();
      const terminal = home.shellOnTerminal(chat, { columns });
      await terminal.waitFor(/>>> $/);
      expect(terminal.screen()).toContain("Type /help for commands, Ctrl-D to leave.");
      terminal.type("/he");
      terminal.press("tab");
      await terminal.waitFor(/>>> \/help/);
      terminal.press("enter");
      await terminal.waitFor("Tab completes.");
      await terminal.waitFor(/completes\.\n>>> $/);
      for (const line of terminal.screen()) expect(line.length).toBeLessThanOrEqual(columns);
      terminal.type("hello");
      terminal.press("enter");
      await terminal.waitFor(/heard: hello\n\n>>> $/);
      terminal.press("ctrl-d");
      expect(await terminal.ended()).toEqual({ code: exit.done, signal: 0 });
      expect(await terminal.leftovers()).toEqual([]);
      const again = home.shellOnTerminal(chat, { columns });
      await again.waitFor(/>>> $/);
      again.press("up");
      await again.waitFor(/>>> hello/);
      again.press("ctrl-d", "ctrl-c", "ctrl-d");
      expect(await again.ended()).toMatchObject({ code: exit.done });
    });
  },
);

describe.skipIf(process.platform === "win32")("a conversation", () => {
  test("continues after the text for `/file -` was typed", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal(chat);
    await terminal.waitFor(/>>> $/);
    terminal.type("/file -");
    terminal.press("enter");
    await terminal.waitFor("press Ctrl-D to end it");
    terminal.type("typed text");
    terminal.press("enter");
    await terminal.waitFor("typed text");
    terminal.press("ctrl-d");
    await terminal.waitFor(/- will be sent with the next message\.\n>>> $/);
    terminal.type("hello");
    terminal.press("enter");
    await terminal.waitFor(/hello\n\n>>> $/);
    terminal.press("ctrl-d");
    expect(await terminal.ended()).toEqual({ code: exit.done, signal: 0 });
  });

  test("keeps the lines of a paste together", async () => {
    const { home, server } = await homeWithServer();
    const terminal = home.shellOnTerminal("gpuctl chat -m m");
    await terminal.waitFor(/>>> $/);
    terminal.type("Look: \u001b[200~one\r\n\ttwo\nthree\u001b[201~ end");
    await terminal.waitFor(/three end$/);
    terminal.press("enter");
    const request = await server.next();
    expect(request.message).toBe("Look: one\n\ttwo\nthree end");
    request.say("ok");
    request.finish();
    await terminal.waitFor(/ok\n\n>>> $/);
    terminal.type(`\u001b[200~${"long ".repeat(1_000)}\u001b[201~`);
    await terminal.waitFor("[paste 1: 5000 characters]");
    terminal.press("enter");
    expect((await server.next()).message).toBe("long ".repeat(1_000));
  });

  test.each([
    ["Backspace", "\u007f"],
    ["Ctrl-W", "\u0017"],
    ["Alt-Backspace", "\u001b\u007f"],
    ["Left and Backspace", "\u001b[D\u007f"],
    ["Delete at its start", `${"\u001b[D".repeat("[paste 1: 5000 characters]".length)}\u001b[3~`],
  ])("removes a long paste as a whole with %s", async (_, keys) => {
    const { home, server } = await homeWithServer();
    const terminal = home.shellOnTerminal("gpuctl chat -m m");
    await terminal.waitFor(/>>> $/);
    terminal.type(`Look: \u001b[200~${"long ".repeat(1_000)}\u001b[201~`);
    await terminal.waitFor("[paste 1: 5000 characters]");
    terminal.type(`${keys}here`);
    await terminal.waitFor(/>>> Look: here$/);
    terminal.press("enter");
    expect((await server.next()).message).toBe("Look: here");
  });

  test("sends each line as a message of its own, one after another, even if the lines arrive together", async () => {
    const { home, server } = await homeWithServer();
    const terminal = home.shellOnTerminal("gpuctl chat -m m");
    await terminal.waitFor(/>>> $/);
    terminal.type("one\rtwo\r");
    for (const message of ["one", "two"]) {
      const request = await server.next();
      expect(request.message).toBe(message);
      request.say("ok");
      request.finish();
    }
  });

  test("continues after one Ctrl-C has stopped an answer and another one has cleared a line", async () => {
    const { home, server } = await homeWithServer();
    const terminal = home.shellOnTerminal("gpuctl chat -m m --session s");
    await terminal.waitFor(/>>> $/);
    terminal.type("hello\r");
    const request = await server.next();
    request.say("Half of\n\nthe answer");
    await terminal.waitFor("Half of");
    terminal.press("ctrl-c");
    await terminal.waitFor(/Stopped\..*\n\n>>> $/);
    terminal.type("not this");
    await terminal.waitFor(/not this$/);
    terminal.press("ctrl-c");
    await terminal.waitFor(/\^C\n>>> $/);
    terminal.press("ctrl-c");
    await terminal.waitFor("press Ctrl-D or type /exit");
    terminal.type("go on\r");
    const next = await server.next();
    expect({ message: next.message, count: next.count }).toEqual({ message: "go on", count: 3 });
    next.say("Done");
    next.finish();
    await terminal.waitFor(/Done\n\n>>> $/);
    terminal.type("/exit\r");
    expect(await terminal.ended()).toMatchObject({ code: exit.done });
    expect(await terminal.leftovers()).toEqual([]);
  });

  test("hands the terminal to the editor and takes it back", async () => {
    const home = await createHome({ EDITOR: "fake-editor --wait" });
    await addProgram(
      home.folder,
      "fake-editor",
      'test -t 0 && test "$1" = --wait && echo "from the editor" > "$2"',
    );
    const terminal = home.shellOnTerminal(chat);
    await terminal.waitFor(/>>> $/);
    terminal.type("/edit\r");
    await terminal.waitFor(/heard: from the editor\n\n>>> $/);
    terminal.press("ctrl-d");
    expect(await terminal.ended()).toMatchObject({ code: exit.done });
    expect(await terminal.leftovers()).toEqual([]);
  });

  test("never writes the control characters of a message from the editor when the message is recalled", async () => {
    const home = await createHome({ EDITOR: "fake-editor" });
    const log = "one\\033]0;owned\\007two\\033[31m\\tthree\\nfour\\n";
    await addProgram(home.folder, "fake-editor", `printf '${log}' > "$1"`);
    for (const start of ["/edit\r", ""]) {
      const terminal = home.shellOnTerminal(chat);
      await terminal.waitFor(/>>> $/);
      terminal.type(start);
      if (start !== "") await terminal.waitFor(/four\n\n>>> $/);
      terminal.press("up");
      await terminal.waitFor(/>>> onetwo\u2409three\u2424four/);
      terminal.press("ctrl-c", "ctrl-d");
      expect(await terminal.ended()).toMatchObject({ code: exit.done });
      expect(terminal.bytes()).not.toContain("\u001b]0;");
      expect(terminal.bytes()).not.toContain("\u001b[31m");
    }
  });

  test.each(["SIGTERM", "SIGINT"] as const)("ends at %s and restores the terminal", async (signal) => {
    const home = await createHome();
    const terminal = home.onTerminal("chat --sandbox");
    await terminal.waitFor(/>>> $/);
    terminal.kill(signal);
    expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
    expect(await terminal.leftovers()).toEqual([]);
  });

  test("ends when the terminal is closed", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal(`exec ${chat}`);
    await terminal.waitFor(/>>> $/);
    terminal.close();
    expect(await terminal.ended()).toEqual({ code: 0, signal: os.signals.SIGHUP });
  });

  test("is stopped by Ctrl-Z with the terminal restored, and continued by fg", async (context) => {
    skipWithout("bash", context);
    const home = await createHome();
    const shell = home.interactiveShell();
    await shell.waitFor(/\$ $/);
    shell.type(`${chat}\r`);
    await shell.waitFor(/>>> $/);
    shell.press("ctrl-z");
    await shell.waitFor(/Stopped[^\n]*\n\$ $/);
    expect(shell.bytes().lastIndexOf("\u001b[?2004l")).toBeGreaterThan(0);
    shell.type("fg\r");
    await shell.waitFor(/fg\n[^\n]*\n>>> $/);
    shell.type("hello\r");
    await shell.waitFor(/heard: hello\n\n>>> $/);
  });
});
