import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { completionFiles } from "../../src/core/runtime/shells.ts";
import { createCli } from "../support/cli.ts";

describe.each(Object.entries(completionFiles))("completion %s", (shell, file) => {
  test.each([undefined, 80])(
    "prints the script in completions/ (columns of the terminal: %s)",
    async (terminal) => {
      const { run } = await createCli();
      const { code, out, err } = await run(`completion ${shell}`, terminal === undefined ? {} : { terminal });
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toBe(await readFile(`completions/${file}`, "utf8"));
    },
  );
});

test("completion requires a supported shell", async () => {
  const { run } = await createCli();
  expect(await run("completion")).toMatchObject({ code: 2, out: "" });
  expect(await run("completion ksh")).toMatchObject({ code: 2, out: "" });
});
