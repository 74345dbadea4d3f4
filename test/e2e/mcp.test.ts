import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { createHome, repository, runProgram } from "../support/process.ts";
import { thorough } from "../support/thorough.ts";

const spending = ["--allow", "spend,destroy", "--max-cost", "1", "--max-burn", "5", "--sandbox"];

test("the SDK's client rents and ends a rental, and lists rentals, over stdio", async () => {
  const home = await createHome();
  const transport = new StdioClientTransport({
    command: join(home.folder, "bin", "gpuctl"),
    args: ["mcp", ...spending],
    env: { ...home.env },
    stderr: "pipe",
  });
  let log = "";
  transport.stderr?.on("data", (chunk) => {
    log += String(chunk);
  });
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const call = async (name: string, input = {}) =>
    (await client.callTool({ name, arguments: input })).structuredContent as { ok: boolean; data: unknown };
  // Once the client has listed the tools, it checks each result against the tool's schema.
  expect((await client.listTools()).tools.length).toBeGreaterThan(10);
  expect(await call("create_virtual_machine_rental", { gpuCount: 1 })).toMatchObject({
    ok: true,
    data: { id: 1001 },
  });
  expect(await call("create_virtual_machine_rental", { gpuCount: 2 })).toMatchObject({
    ok: false,
    error: { code: "BUDGET_EXCEEDED" },
  });
  expect(await call("terminate_rental", { rentalId: "1001" })).toMatchObject({ ok: true });
  expect((await call("list_virtual_machine_rentals")).data).toEqual([]);
  expect(await call("create_storage_volume", { label: "data" })).toMatchObject({
    error: { code: "NOT_ALLOWED" },
  });
  const { pid } = transport;
  await client.close();
  expect(() => process.kill(pid ?? 0, 0)).toThrow();
  expect(log).toContain("mcp: call 1, create_virtual_machine_rental: done, ID 1001, $2.00 an hour\n");
});

/**
 * Copies the inspector's command-line program, and returns the path of its main file. The program reads the
 * `package.json` in the folder above its package. In `node_modules`, there is no such file.
 */
async function inspectorIn(folder: string): Promise<string> {
  const source = join(repository, "node_modules/@modelcontextprotocol/inspector-cli");
  await cp(source, join(folder, "inspector/cli"), { recursive: true, dereference: true });
  await cp(join(source, "package.json"), join(folder, "inspector/package.json"));
  await symlink(join(repository, "node_modules"), join(folder, "inspector/node_modules"), "dir");
  return join(folder, "inspector/cli/build/index.js");
}

// Only in a thorough run: in other runs, the client of the SDK is the judge.
test.runIf(thorough)("the inspector's command line can use gpuctl mcp", async () => {
  const home = await createHome({ GPUCTL_SANDBOX: "1" });
  const inspector = await inspectorIn(home.folder);
  const inspect = async (...method: readonly string[]) => {
    const args = [inspector, "gpuctl", "mcp", "--method", ...method];
    const { code, out } = await runProgram(process.execPath, args, { env: home.env, cwd: home.folder });
    expect(code).toBe(0);
    return JSON.parse(out);
  };
  const { tools } = await inspect("tools/list");
  expect(tools.map(({ name }: { name: string }) => name)).toContain("wait_for_rental");
  const { structuredContent } = await inspect(
    "tools/call",
    "--tool-name",
    "list_rental_options",
    "--tool-arg",
    "limit=1",
  );
  expect(structuredContent).toMatchObject({ ok: true, data: [{ costPerHourCents: 200 }] });
  const refused = await inspect(
    ...["tools/call", "--tool-name", "create_virtual_machine_rental", "--tool-arg", "gpuCount=1"],
  );
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: "NOT_ALLOWED" } } });
});

test.skipIf(process.platform === "win32")(
  "a signal ends gpuctl mcp although the client keeps stdin open",
  async () => {
    const home = await createHome();
    const server = spawn(join(home.folder, "bin", "gpuctl"), ["mcp", "--sandbox"], { env: { ...home.env } });
    onTestFinished(() => void server.kill("SIGKILL"));
    let log = "";
    server.stderr.on("data", (chunk) => {
      log += String(chunk);
    });
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    await once(server.stdout, "data");
    server.kill("SIGTERM");
    const [code] = await once(server, "exit");
    expect({ code, log }).toEqual({ code: 130, log: expect.stringMatching(/Error: interrupted\n$/) });
  },
);

test("a line that is not a message is reported in one line, and the next message is answered", async () => {
  const home = await createHome();
  const input = `garbage\n{"a":1}\n${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`;
  const { code, out, err } = await home.run("mcp --sandbox", { input });
  expect(code, err).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ id: 1, result: {} });
  expect(err.split("\n").slice(1)).toEqual([
    "mcp: skipped a line that is not a JSON-RPC message",
    "mcp: skipped a line that is not a JSON-RPC message",
    "",
  ]);
});
