import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Cli, createCli } from "../support/cli.ts";

const folderOf = ({ folder }: Cli) => join(folder, "state", "chat-sessions");
const fileOf = (cli: Cli, name: string) => join(folderOf(cli), `${name}.jsonl`);
const turnsIn = async (cli: Cli, name: string) =>
  JSON.parse((await cli.run(`chat sessions show ${name} -o json`)).out) as Record<string, unknown>[];
const namesIn = async ({ run }: Cli) => (await run("chat sessions list -o id")).out.trim().split("\n");

describe("a new session", () => {
  test.each(["Last", "LAST", "laſt"])(
    "cannot be named %s, which is the file of the last question on a disk that ignores case",
    async (name) => {
      const cli = await createCli();
      for (const dryRun of ["", " --dry-run"]) {
        const outcome = await cli.run(`chat hello --session ${name} --sandbox${dryRun}`);
        expect(outcome).toMatchObject({ code: 2, requests: [] });
        expect(outcome.err).toContain(`a new session cannot be named "${name}"`);
      }
      const saved = await cli.run("chat --sandbox", { terminal: 80, lines: ["hello", `/save ${name}`] });
      expect(saved.err).toContain(`a new session cannot be named "${name}"`);
      expect(await namesIn(cli)).not.toContain(name);
    },
  );

  test("that was named Last before can still be read and continued", async () => {
    const cli = await createCli();
    await cli.run("chat hello --session s --sandbox");
    await writeFile(fileOf(cli, "Last"), await readFile(fileOf(cli, "s")));
    expect(await turnsIn(cli, "Last")).toHaveLength(2);
    expect(await cli.run("chat more --session Last --sandbox")).toMatchObject({ code: 0 });
    expect(await turnsIn(cli, "Last")).toHaveLength(4);
  });
});
