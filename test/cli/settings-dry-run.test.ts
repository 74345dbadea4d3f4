import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Cli, createCli } from "../support/cli.ts";
import { commands } from "../support/commands.ts";
import { runShown } from "../support/examples.ts";
import { key, serviceUrl } from "../support/service.ts";
import { everyNth, sample } from "../support/thorough.ts";

const listen = async () => {
  throw new Error("a dry run listens on no port");
};

/**
 * What a dry run must not change: the contents of all files, the number of files and folders, and the sandbox's
 * status.
 */
async function stateOf({ folder, sandbox }: Cli): Promise<object> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const texts = await Promise.all(files.sort().map(async (path) => [path, await readFile(path, "hex")]));
  return { folders: found.length, files: texts, sandbox: sandbox.status() };
}

/** All commands except `mcp`, which rejects `--dry-run`. */
const runnable = commands.filter(({ path }) => path[0] !== "mcp");

describe.each(everyNth(2, runnable))(
  "$path with --dry-run changes nothing",
  ({ examples, readsInDryRun = false }) => {
    test.each(sample(examples, 0))("$command", async ({ command, after = [] }) => {
      const cli = await createCli({ listen });
      for (const profile of ["default", "work"]) {
        const login = `auth login --with-token --no-validate --base-url ${serviceUrl} --profile ${profile}`;
        await cli.run(login, { stdin: key });
      }
      for (const line of after) await runShown(cli, line);
      await cli.run("rentals create vm --gpus 1 --sandbox --yes");
      const before = await stateOf(cli);
      const [line] = command.split(" > ");
      const { code, err, requests } = await runShown(cli, `${line} --dry-run`);
      expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
      expect(requests.filter(({ method }) => !(readsInDryRun && method === "GET"))).toEqual([]);
      // If the command reads in a dry run, only its exit code and its requests are checked.
      if (!readsInDryRun) expect(await stateOf(cli)).toEqual(before);
      expect(before).toMatchObject({ sandbox: { rentals: { active: expect.any(Number) } } });
    });
  },
);
