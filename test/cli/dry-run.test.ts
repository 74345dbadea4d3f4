import { describe, expect, test } from "vitest";
import type { CommandNode } from "../../src/command-kit/tree.ts";
import { createCli } from "../support/cli.ts";
import { commands, operationsOf } from "../support/commands.ts";
import { runShown } from "../support/examples.ts";
import { key, overNetwork, serviceUrl } from "../support/service.ts";
import { words } from "../support/words.ts";

describe("--dry-run", () => {
  test("prints the request and hides the key", async () => {
    const { run } = await createCli();
    const { out, err, code, requests } = await run("rentals create vm --gpus 1 --dry-run", overNetwork());
    expect({ code, err, requests }).toEqual({ code: 0, err: "", requests: [] });
    expect(out).toMatchInlineSnapshot(`
      "POST https://api.example.com/v2/on-demand/virtual-machine-rentals
      Accept: application/json
      Accept-Encoding: identity
      User-Agent: gpuctl/0.0.0-test
      Authorization: Bearer ****
      Content-Type: application/json

      {
        "gpuCount": 1
      }
      "
    `);
    expect(out).not.toContain(key);
  });

  test("prints one document with -o json", async () => {
    const { run } = await createCli();
    const { out } = await run("rentals create vm --gpus 1 --dry-run -o json", overNetwork());
    expect(JSON.parse(out)).toEqual({
      dry_run: true,
      request: {
        method: "POST",
        url: "https://api.example.com/v2/on-demand/virtual-machine-rentals",
        headers: {
          Accept: "application/json",
          "Accept-Encoding": "identity",
          "User-Agent": "gpuctl/0.0.0-test",
          Authorization: "Bearer ****",
          "Content-Type": "application/json",
        },
        body: { gpuCount: 1 },
      },
    });
  });

  test("shows every request of a command that sends several in parallel", async () => {
    const { run } = await createCli();
    const { out } = await run("rentals list --dry-run -o json --sandbox");
    const { requests } = JSON.parse(out);
    expect(requests.map(({ url }: { url: string }) => new URL(url).pathname)).toEqual([
      "/v2/on-demand/virtual-machine-rentals",
      "/v2/on-demand/bare-metal-rentals",
    ]);
  });

  test("needs no key, no confirmation and no terminal", async () => {
    const { run } = await createCli();
    expect(await run(`user delete --dry-run --base-url ${serviceUrl}`)).toMatchObject({
      code: 0,
      requests: [],
    });
    expect(await run("user delete --dry-run --sandbox", { terminal: 80 })).toMatchObject({
      code: 0,
      requests: [],
    });
  });

  test("still validates the command line", async () => {
    const { run } = await createCli();
    expect(
      await run("rentals create bare-metal --gpus 9 --network-type ethernet --dry-run --sandbox"),
    ).toMatchObject({
      code: 2,
      out: "",
    });
  });

  const sending = commands.filter(
    (command) => operationsOf(command).length > 0 && command.path[0] !== "auth",
  );
  const isHeldBack = ({ readsInDryRun }: CommandNode) => readsInDryRun !== true;

  test.each(sending.filter(isHeldBack).flatMap(({ examples }) => examples))(
    "sends nothing: $command",
    async ({ command, after = [] }) => {
      const cli = await createCli();
      const { run } = cli;
      for (const made of after.filter((one) => one.startsWith("gpuctl chat "))) await runShown(cli, made);
      const line = command.replace(/^.* \| /, "").replace(/ > .*$/, "");
      const { code, out, requests } = await run([...words(line).slice(1), "--dry-run"], { stdin: "" });
      expect({ code, requests }).toEqual({ code: 0, requests: [] });
      expect(out).toMatch(/http:\/\/sandbox\.localhost/);
    },
  );

  test.each(sending.filter((command) => !isHeldBack(command)).flatMap(({ examples }) => examples))(
    "sends only reads: $command",
    async ({ command, after = [] }) => {
      const cli = await createCli();
      for (const line of after) await runShown(cli, line);
      const { code, requests } = await cli.run([...words(command).slice(1), "--dry-run"]);
      expect(code).toBe(0);
      expect([...new Set(requests.map(({ method }) => method))]).toEqual(["GET"]);
    },
  );
});
