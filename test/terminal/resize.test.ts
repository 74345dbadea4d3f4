import { describe, expect, test } from "vitest";
import { createRentedHome } from "../support/rented-home.ts";
import { cursorMoves, type Terminal } from "../support/terminal.ts";

/** A watch of three rentals below a line that the shell printed. It polls once an hour, so only a resize redraws it. */
async function watching(columns: number, rows = 24) {
  const home = await createRentedHome(["trainer", "evaluator", "notebook"]);
  const line = "echo before; gpuctl rentals list --watch 1h --sandbox --color never";
  const terminal = home.shellOnTerminal(line, { columns, rows });
  await terminal.waitFor(/press Ctrl-C to exit/);
  return terminal;
}

/** The titles of the list on the screen. */
const titles = (terminal: Terminal) => terminal.screen().find((line) => line.startsWith("ID ")) ?? "";

const complete = (text: string) => /^ID [\s\S]*press Ctrl-C to exit/.test(text);

describe.skipIf(process.platform === "win32")("a watched list whose window is resized", () => {
  test("is drawn again at once, narrower and wider, without anything left over", async () => {
    const terminal = await watching(100);
    expect(titles(terminal)).toMatch(/GPU +REGION +TERM/);
    const wide = terminal.screen();
    terminal.resize(50, 24);
    await terminal.waitFor((text) => complete(text) && /Columns left out to fit/.test(text));
    const narrow = terminal.screen();
    expect(narrow[0]).toMatch(/^ID +LABEL +STATE +/);
    expect(narrow.filter((line) => /^\d{4} /.test(line))).toHaveLength(3);
    expect(narrow.filter((line) => line.includes("trainer"))).toHaveLength(1);
    expect(narrow.join("")).toContain("Columns left out to fit: ");
    terminal.resize(100, 24);
    await terminal.waitFor((text) => complete(text) && /GPU +REGION +TERM/.test(text));
    expect(terminal.screen()).toHaveLength(wide.length);
    expect(terminal.screen().map((line) => line.replace(/\S+ ago|now/, ""))).toEqual(
      wide.map((line) => line.replace(/\S+ ago|now/, "")),
    );
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: 130 });
  });

  test("fits a window with fewer rows", async () => {
    const terminal = await watching(100);
    terminal.resize(100, 6);
    await terminal.waitFor(/and 2 more/);
    expect(terminal.screen()).toHaveLength(5);
    terminal.resize(100, 24);
    await terminal.waitFor((text) => complete(text) && text.includes("notebook"));
    terminal.press("ctrl-c");
    await terminal.ended();
  });

  test("leaves the shell's output and the last list on the screen when it ends", async () => {
    const terminal = await watching(100);
    terminal.resize(60, 20);
    await terminal.waitFor(/Columns left out to fit/);
    terminal.press("ctrl-c");
    await terminal.ended();
    const [first, header, ...rows] = terminal.text().split("\n");
    expect(first).toBe("before");
    expect(header).toMatch(/^ID +LABEL/);
    expect(rows.filter((line) => /^\d{4} /.test(line))).toHaveLength(3);
    expect(terminal.text()).not.toContain("press Ctrl-C");
    expect(await terminal.leftovers()).toEqual([]);
    expect(cursorMoves(terminal.bytes())).toEqual({ hidden: 1, shown: 1, last: "shown" });
  });
});
