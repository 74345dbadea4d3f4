import { describe, expect, test } from "vitest";
import { commands } from "../../src/commands/index.ts";
import { createCli } from "../support/cli.ts";
import { runShown } from "../support/shell.ts";

const listen = async (_sandbox: unknown, { host, port }: { host: string; port: number }) => ({
  url: `http://${host}:${port}`,
  close: async () => {},
});

describe.each(commands)("$path", ({ examples }) => {
  test("has at least two examples", () => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  test.each(examples)("$command", async ({ command, after = [] }) => {
    const cli = await createCli({ listen });
    for (const line of after) expect(await runShown(cli, line), line).toMatchObject({ code: 0 });
    const { code, err } = await runShown(cli, command);
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  });
});
