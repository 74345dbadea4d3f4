import { expect, test } from "vitest";
import { valueAt } from "../../src/core/json.ts";
import { createCli } from "../support/cli.ts";
import { commands, declarationOf } from "../support/commands.ts";
import { runShown } from "../support/examples.ts";

/** `doctor` is left out, because its output depends on the machine. It has its own tests. */
const lists = commands
  .map((command) => ({ ...command, view: declarationOf(command).view }))
  .filter(({ path, view, examples }) => view.kind === "list" && examples.length > 0 && path[0] !== "doctor")
  // This command prints a transcript instead of a table.
  .filter(({ path }) => path.join(" ") !== "chat sessions show")
  // These commands change something, so a second run prints something else.
  .filter(({ path }) => !["rentals guard", "sandbox scenario"].includes(path.join(" ")));

test.each(lists)(
  "the table of $path fits the terminal, and has its column titles and a row for each record",
  async ({ examples: [example], view }) => {
    if (view.kind !== "list" || example === undefined) return;
    const cli = await createCli();
    for (const line of example.after ?? []) await runShown(cli, line);
    const tableOn = async (terminal?: number): Promise<string> => {
      const { code, out, err } = await runShown(cli, `${example.command} --color never`, {
        ...(terminal !== undefined && { terminal }),
      });
      expect(code, err).toBe(0);
      expect(out === "" ? err : out).toMatchSnapshot(`on ${terminal} columns`);
      return out;
    };
    for (const terminal of [80, 100]) {
      for (const line of (await tableOn(terminal)).split("\n"))
        expect(line.length).toBeLessThanOrEqual(terminal);
    }
    expect(view).toHaveProperty("empty");

    const out = await tableOn();
    const lines = await runShown(cli, `${example.command} -o jsonl`);
    const records: readonly unknown[] = lines.out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    const [header = "", ...rows] = out.split("\n").slice(0, -1);
    if (records.length > 0) {
      const titles = view.columns.map(({ title }) => title);
      expect(header.split(/ {2,}/)).toEqual(titles.filter((title) => header.includes(title)));
      expect(header.startsWith(titles[0] ?? "")).toBe(true);
    }
    expect(rows).toHaveLength(records.length);
    expect(out).not.toMatch(/undefined|NaN|\[object|Invalid|null/);
    const shown = view.columns.flatMap(({ paths }) => paths);
    records.forEach((record, row) => {
      const path = view.id.find((one) => valueAt(record, one) != null) ?? "";
      const id = shown.includes(path) ? valueAt(record, path) : undefined;
      if (id !== undefined) expect(rows[row]?.split(/ {2,}/)).toContain(String(id));
    });
  },
);
