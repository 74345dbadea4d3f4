import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { commands, declarationOf } from "../support/commands.ts";
import { runShown } from "../support/examples.ts";

/** What doctor shows depends on the machine; it has its own tests. */
const lists = commands
  .map((command) => ({ ...command, view: declarationOf(command).view }))
  .filter(({ path, view, examples }) => view.kind === "list" && examples.length > 0 && path[0] !== "doctor");

describe.each(lists)("the table of $path", ({ examples: [example], view }) => {
  test.each([80, 100, undefined])("on %s columns", async (terminal) => {
    const cli = await createCli();
    for (const line of example?.after ?? []) await runShown(cli, line);
    const { code, out, err } = await cli.run(`${example?.command} --color never`, {
      ...(terminal !== undefined && { terminal }),
    });
    expect(code).toBe(0);
    if (terminal !== undefined)
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(terminal);
    expect(out === "" ? err : out).toMatchSnapshot();
    expect(view).toHaveProperty("empty");
  });
});
