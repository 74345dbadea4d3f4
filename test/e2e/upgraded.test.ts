import { cp, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { exit } from "../../src/core/exit-codes.ts";
import { addProgram, createHome, dist, key, repository } from "../support/process.ts";
import { needs } from "../support/programs.ts";

/**
 * A home with an installation of its own. `removed` moves its built files away, as an upgrade does: the names of the
 * new files differ.
 */
async function createInstallation() {
  const home = await createHome({ GPUCTL_API_KEY: key });
  const tool = join(home.folder, "tool");
  await cp(dist, join(tool, "dist"), { recursive: true });
  await cp(join(repository, "bin"), join(tool, "bin"), { recursive: true });
  await cp(join(repository, "package.json"), join(tool, "package.json"));
  await symlink(join(repository, "node_modules"), join(tool, "node_modules"), "dir");
  const command = [process.execPath, join(tool, "bin/gpuctl.js")] as const;
  await addProgram(home.folder, "gpuctl", `exec '${command.join("' '")}' "$@"`);
  const removed = () => rename(join(tool, "dist"), join(tool, "old"));
  return { home, command, removed };
}

const lost = "Cannot find module";

test("after an upgrade, an agent can still end its rental", async () => {
  const { home, command, removed } = await createInstallation();
  const [program, launcher] = command;
  const args = [
    launcher,
    "mcp",
    "--allow",
    "spend,destroy",
    "--max-cost",
    "1",
    "--max-burn",
    "5",
    "--sandbox",
  ];
  const transport = new StdioClientTransport({
    command: program,
    args,
    env: { ...home.env },
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const call = async (name: string, input = {}) =>
    (await client.callTool({ name, arguments: input })).structuredContent;
  await removed();
  expect(await call("create_virtual_machine_rental", { gpuCount: 1 })).toMatchObject({ ok: true });
  expect(await call("terminate_rental", { rentalId: "1001" })).toMatchObject({ ok: true });
});

test("after an upgrade, a batch keeps the part of a response that arrived, and exits with its own code", async () => {
  const { home, command, removed } = await createInstallation();
  const server = createServer((_request, response) => {
    void removed().then(() => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
      response.write('{"choices":[{"message":{"content":"Hi');
      setImmediate(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await writeFile(join(home.folder, "in.txt"), "Hello\n");
  const line = `batch run --prompts in.txt --endpoint chat --model m --out out.jsonl --base-url http://127.0.0.1:${port}`;
  const { code, err } = await home.run(line, { command });
  expect(err).not.toContain(lost);
  expect(code).toBe(exit.someFailed);
  expect(await readdir(join(home.folder, "out.files"))).toEqual([
    expect.stringMatching(/incomplete-response/),
  ]);
});

test("after an upgrade, a guard that is interrupted exits with 130", async () => {
  const { home, removed } = await createInstallation();
  const guard = home.shell("exec gpuctl rentals guard --every 10s --sandbox --yes 2>&1");
  await guard.firstOutput;
  await removed();
  guard.interrupt();
  const { code, out } = await guard.ended;
  expect(out).not.toContain(lost);
  expect(code).toBe(exit.interrupted);
});

describe("on a machine", () => {
  needs("sshd");

  test("after an upgrade, a job whose rental could not be ended says so and exits with 10", async () => {
    const { home, removed } = await createInstallation();
    await home.run("sandbox boot add --outcome slow --after 0s --sandbox");
    await home.run(
      "sandbox fault add --operation terminateVirtualMachineRental --status 500 --times 50 --sandbox",
    );
    const job = home.shell(
      "exec gpuctl rentals run --gpus 1 --sandbox --yes -- sh -c 'echo started; sleep 600'",
    );
    await job.firstOutput;
    await removed();
    job.interrupt();
    const { code, err } = await job.ended;
    expect(err).not.toContain(lost);
    expect(err).toContain("may still be billed");
    expect(code).toBe(exit.unknownOutcome);
  });
});
