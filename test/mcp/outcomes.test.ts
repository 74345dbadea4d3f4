import { readFile, stat } from "node:fs/promises";
import { PassThrough } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { describedTools } from "../../src/mcp/tools.ts";
import { streamTransport } from "../../src/mcp/transport.ts";
import { createCli, type Responder } from "../support/cli.ts";
import { base64, tinyPng } from "../support/pictures.ts";
import { overNetwork } from "../support/service.ts";
import { agentOf, everything, quickPictures } from "./client.ts";

const vms = "/v2/on-demand/virtual-machine-rentals";
const create = "create_virtual_machine_rental";
const failure = () =>
  Response.json({ code: "INTERNAL_SERVER_ERROR", message: "no", issues: [] }, { status: 500 });

/** A response in which the first of two pictures is present and the second is missing. */
const partOfPictures = () =>
  Response.json({
    images: [
      { index: 0, image: base64(tinyPng()), random_seed: 42 },
      { index: 1, image: null },
    ],
  });

/** A promise, and the function that resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("a create whose outcome is unknown", () => {
  const lostOnce = (
    happens: boolean,
  ): { respond: Responder; sandbox: { fetch?: typeof globalThis.fetch } } => {
    const sandbox: { fetch?: typeof globalThis.fetch } = {};
    let lost = false;
    return {
      sandbox,
      respond: async ({ method, path, headers, body }) => {
        if (method !== "POST" || path !== vms || lost) return undefined;
        lost = true;
        if (happens) {
          await sandbox.fetch?.(
            new Request(`http://sandbox.localhost${path}`, { method, headers, body: JSON.stringify(body) }),
          );
        }
        return failure();
      },
    };
  };

  test.each([
    [true, /New in the listing: 1001\. This request may have created it\./],
    [false, /Nothing new is listed yet/],
  ])(
    "is reported with advice on what to do next (the service created the rental: %s)",
    async (happens, found) => {
      const { respond, sandbox } = lostOnce(happens);
      const cli = await createCli({ respond });
      sandbox.fetch = (request) => cli.sandbox.fetch(request as Request);
      const { call, end } = await agentOf(cli, everything);
      expect(await call(create, { gpuCount: 1 })).toMatchObject({
        ok: false,
        data: { hint: expect.stringMatching(found) },
        error: {
          code: "UNKNOWN_OUTCOME",
          status: 500,
          retryable: false,
          advice: expect.stringMatching(
            /^The request was sent.*Do not call create_virtual_machine_rental again now\. Call list_virtual_machine_rentals/,
          ),
        },
      });
      // Another create is refused until the agent has listed the rentals.
      expect(await call(create, { gpuCount: 1 })).toMatchObject({
        error: {
          code: "LOOK_FIRST",
          advice: expect.stringContaining("Call list_virtual_machine_rentals first"),
        },
      });
      expect(((await call("list_virtual_machine_rentals")).data as unknown[]).length).toBe(happens ? 1 : 0);
      expect(await call(create, { gpuCount: 1 })).toMatchObject({ ok: true });
      const { requests, err } = await end();
      expect(requests.filter(({ method }) => method === "POST")).toHaveLength(2);
      expect(err).toContain(`mcp: call 1, ${create}: unknown`);
    },
  );

  test("stays unknown after a list that was requested before the create", async () => {
    const [looking, go] = [gate(), gate()];
    const { respond: lose } = lostOnce(false);
    let isFirst = true;
    const cli = await createCli({
      respond: async (request) => {
        if (request.method !== "GET" || request.path !== vms || !isFirst) return lose(request);
        isFirst = false;
        looking.open();
        await go.opened;
        return undefined;
      },
    });
    const { call } = await agentOf(cli, everything);
    const early = call("list_virtual_machine_rentals");
    await looking.opened;
    expect(await call(create, { gpuCount: 1 })).toMatchObject({ error: { code: "UNKNOWN_OUTCOME" } });
    go.open();
    expect(await early).toMatchObject({ ok: true });
    expect(await call(create, { gpuCount: 1 })).toMatchObject({ error: { code: "LOOK_FIRST" } });
    expect(await call("list_virtual_machine_rentals")).toMatchObject({ ok: true });
    expect(await call(create, { gpuCount: 1 })).toMatchObject({ ok: true });
  });
});

describe("a canceled or failed call", () => {
  test("is not sent if it is canceled while it waits for its turn", async () => {
    const { opened, open } = gate();
    const cli = await createCli({
      respond: async ({ method }) => {
        if (method === "POST") await opened;
        return undefined;
      },
    });
    const { client, call, end } = await agentOf(cli, everything);
    const first = call(create, { gpuCount: 1, label: "first" });
    const canceled = new AbortController();
    const second = client.callTool({ name: create, arguments: { gpuCount: 1, label: "second" } }, undefined, {
      signal: canceled.signal,
    });
    canceled.abort();
    await expect(second).rejects.toThrow();
    open();
    expect(await first).toMatchObject({ ok: true });
    // The next call runs after the canceled one.
    expect(await call(create, { gpuCount: 1 })).toMatchObject({ ok: true });
    const sent = (await end()).requests.filter(({ method }) => method === "POST").map(({ body }) => body);
    expect(sent).toEqual([{ gpuCount: 1, label: "first" }, { gpuCount: 1 }]);
  });

  test("continues if it is canceled after it was sent, and the next result reports its outcome", async () => {
    const [sent, go] = [gate(), gate()];
    const cli = await createCli({
      respond: async ({ method }) => {
        if (method !== "POST") return undefined;
        sent.open();
        await go.opened;
        return undefined;
      },
    });
    const { client, call } = await agentOf(cli, everything);
    const canceled = new AbortController();
    const calling = client.callTool({ name: create, arguments: { gpuCount: 1 } }, undefined, {
      signal: canceled.signal,
    });
    await sent.opened;
    canceled.abort();
    await expect(calling).rejects.toThrow();
    go.open();
    const { data, notes } = await call("create_storage_volume", {
      label: "data",
      sizeInGb: 256,
      region: "us-central-1",
    });
    expect(data).toMatchObject({ label: "data" });
    expect(notes).toEqual([
      `This call ended after you canceled it: call 1, ${create}: done, ID 1001, $2.00 an hour`,
    ]);
    expect((await call("list_virtual_machine_rentals")).data).toHaveLength(1);
  });

  const paid = {
    generate_image: { model_name: "SDXL1.0-base", prompt: "a cat", steps: 25 },
    create_chat_completion: { model: "sandbox-echo", messages: [{ role: "user", content: "hi" }] },
  };

  test.each([
    { code: "INTERNAL_SERVER_ERROR", message: "no", issues: [] },
    { error: { message: "overloaded" } },
    { choices: [{ message: { content: "Half" } }], error: { message: "upstream died" } },
    null,
  ])("is not a success, but its cost counts, if it is a chat with the response %j", async (body) => {
    const cli = await createCli({
      respond: ({ method }) => (method === "POST" ? Response.json(body) : undefined),
    });
    const { call } = await agentOf(cli, everything);
    expect(await call("create_chat_completion", paid.create_chat_completion)).toMatchObject({
      ok: false,
      data: { hint: expect.stringContaining("The response was saved to ") },
      error: { code: "UNKNOWN_OUTCOME" },
      cost: { spentDollars: 0.01 },
    });
  });

  test.each([
    ["generate_image", 200, "done, $0.01. Its result was saved to /", 0.01],
    ["generate_image", 400, "failed, $0.00, no", 0],
    ["generate_image", 500, "unknown, $0.01, the service responded 500: no", 0.01],
    ["create_chat_completion", 200, "done, ID chatcmpl-1, $0.01. Its result was saved to /", 0.01],
  ] as const)(
    "is charged after a cancellation unless the service refuses the request: %s with the status %i",
    async (tool, status, outcome, spent) => {
      const [sent, go] = [gate(), gate()];
      const cli = await createCli({
        respond: async (request) => {
          if (request.method !== "POST") return undefined;
          sent.open();
          await go.opened;
          if (status !== 200) return Response.json({ code: "X", message: "no", issues: [] }, { status });
          return quickPictures(request);
        },
      });
      const { client, call, log } = await agentOf(cli, everything);
      const canceled = new AbortController();
      const calling = client.callTool({ name: tool, arguments: paid[tool] }, undefined, {
        signal: canceled.signal,
      });
      await sent.opened;
      canceled.abort();
      await expect(calling).rejects.toThrow();
      go.open();
      await expect.poll(log).toContain(`mcp: call 1, ${tool}: `);
      const next = await call("terminate_rental", { rentalId: "1001" });
      expect(next.notes?.[0]).toContain(`This call ended after you canceled it: call 1, ${tool}: ${outcome}`);
      expect(next.cost?.spentDollars).toBe(spent);
      const [path] = /(?<=saved to ).*(?=\.$)/.exec(next.notes?.[0] ?? "") ?? [];
      if (status === 200) expect((await stat(path ?? "")).size).toBeGreaterThan(0);
      expect((await call("list_storage_volumes")).notes).toBeUndefined();
    },
  );

  test("keeps the part that was received if it is canceled and then fails, and says where the part is", async () => {
    const [sent, go] = [gate(), gate()];
    const cli = await createCli({
      respond: async ({ method }) => {
        if (method !== "POST") return undefined;
        sent.open();
        await go.opened;
        return partOfPictures();
      },
    });
    const { client, call, log } = await agentOf(cli, everything);
    const canceled = new AbortController();
    const calling = client.callTool({ name: "generate_image", arguments: paid.generate_image }, undefined, {
      signal: canceled.signal,
    });
    await sent.opened;
    canceled.abort();
    await expect(calling).rejects.toThrow();
    go.open();
    await expect.poll(log).toContain("mcp: call 1, generate_image: ");
    const [note = ""] = (await call("terminate_rental", { rentalId: "1001" })).notes ?? [];
    expect(note).toMatch(/^This call ended after you canceled it: call 1, generate_image: failed, /);
    const [, path = ""] = /The part that was received was saved to (.*)\.$/.exec(note) ?? [];
    expect((await stat(path)).size).toBeGreaterThan(0);
    expect(log()).toContain(`The part that was received was saved to ${path}.\n`);
  });

  test("ends at once if it is canceled while it waits for the service's description", async () => {
    const sent = gate();
    const cli = await createCli({
      respond: ({ path }) => {
        if (!path.endsWith("/openapi.json")) return undefined;
        sent.open();
        return new Promise(() => {});
      },
    });
    const { client, end } = await agentOf(cli, "--timeout 1h", overNetwork());
    const canceled = new AbortController();
    const { name } = describedTools.balance;
    const calling = client.callTool({ name, arguments: {} }, undefined, { signal: canceled.signal });
    await sent.opened;
    canceled.abort();
    await expect(calling).rejects.toThrow();
    expect((await end()).code).toBe(0);
  });

  test("ends at once if it is a wait and is canceled", async () => {
    const cli = await createCli();
    await cli.run("rentals create vm --gpus 1 --sandbox --yes");
    await cli.run("sandbox clock freeze --sandbox");
    const { client, end } = await agentOf(cli);
    const canceled = new AbortController();
    const waiting = client.callTool({ name: "wait_for_rental", arguments: { rentalId: "1001" } }, undefined, {
      signal: canceled.signal,
      onprogress: () => canceled.abort(),
    });
    await expect(waiting).rejects.toThrow();
    expect((await end()).code).toBe(0);
  });
});

test("a wait reports its progress, and one that times out returns a result, not an error", async () => {
  const cli = await createCli();
  await cli.run("rentals create vm --gpus 1 --sandbox --yes");
  const { client, call } = await agentOf(cli);
  const messages: unknown[] = [];
  await client.callTool(
    { name: "wait_for_rental", arguments: { rentalId: "1001", state: "running" } },
    undefined,
    {
      onprogress: ({ message }) => messages.push(message),
    },
  );
  expect(messages[0]).toBe("Waiting until rental 1001 is running");
  expect(
    await call("wait_for_rental", { rentalId: "1001", state: "terminated", timeoutSeconds: 3 }),
  ).toMatchObject({
    ok: true,
    data: { reached: false, message: expect.stringContaining("timed out") },
  });
  expect(await call("wait_for_rental", { rentalId: "1001" })).toMatchObject({ data: { reached: true } });
});

test("requests that arrived before the end of stdin get their responses", async () => {
  const { run } = await createCli();
  const messages = [
    {
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_storage_volumes" } },
  ];
  const lines = [...messages.map((message) => JSON.stringify(message)), "this is not JSON", ""];
  const { code, out, err } = await run("mcp --sandbox", { stdin: lines.join("\n") });
  expect(code).toBe(0);
  expect(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id),
  ).toEqual([0, 1]);
  expect(err).toContain("mcp: ");
});

test("a message that is too long is skipped, and those after it get their responses", async () => {
  const { run } = await createCli();
  const ping = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });
  const long = "x".repeat(12 * 1024 * 1024);
  const { code, out, err } = await run("mcp --sandbox", { stdin: [ping(1), long, ping(2), ""].join("\n") });
  expect(code).toBe(0);
  expect(out.match(/"id":\d/g)).toEqual(['"id":1', '"id":2']);
  expect(err).toContain("mcp: skipped a message that is too long (the limit is about 10485760 bytes)\n");
});

/**
 * Runs a server whose client calls a tool and then closes stdout, but not stdin. Returns the content of the file in
 * which the result was saved.
 */
async function runWithoutReader(tool: string, args: object, respond: Responder = () => undefined) {
  const cli = await createCli({ respond });
  const request = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  const stdin = new PassThrough();
  stdin.write(
    request(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    }),
  );
  let logged = "";
  const { code } = await cli.run(`mcp ${everything}`, {
    messages: {
      read: stdin,
      write: (text) => {
        const { id } = JSON.parse(text);
        if (id === 1) stdin.write(request(2, "tools/call", { name: tool, arguments: args }));
        else throw new Error("write EPIPE");
      },
      log: (text) => {
        logged += text;
      },
    },
  });
  expect(code).toBe(0);
  const [, path = ""] = /did not get the result .* was saved to (.*\.json)\.\n/.exec(logged) ?? [];
  return readFile(path, "utf8");
}

describe("a server whose client has closed stdout ends although stdin stays open", () => {
  test("and keeps the answer that was paid for", async () => {
    const question = { model: "sandbox-echo", messages: [{ role: "user", content: "hello" }] };
    expect(await runWithoutReader("create_chat_completion", question)).toContain("sandbox-echo heard: hello");
  });

  test("and keeps the part that was received before a failure", async () => {
    const picture = { model_name: "SDXL1.0-base", prompt: "a cat", steps: 25 };
    const kept = await runWithoutReader("generate_image", picture, ({ path }) =>
      path === "/v1/image/generation" ? partOfPictures() : undefined,
    );
    const [{ path }] = JSON.parse(kept);
    expect((await stat(path)).size).toBeGreaterThan(0);
  });
});

describe("a message that cannot be sent", () => {
  const circular = (): JSONRPCMessage => {
    const data: Record<string, unknown> = {};
    data.itself = data;
    return { jsonrpc: "2.0", method: "notifications/message", params: { data } };
  };
  const pong = { jsonrpc: "2.0", id: 1, result: {} } as const;

  /** A transport whose client keeps stdin open. */
  async function started(options: Partial<Parameters<typeof streamTransport>[0]>) {
    const events: string[] = [];
    const transport = streamTransport({
      read: () => new PassThrough(),
      write: async (text) => void events.push(text.trim()),
      onUnsent: async () => void events.push("unsent"),
      ...options,
    });
    transport.onclose = () => events.push("closed");
    transport.onerror = ({ message }) => events.push(message);
    await transport.start();
    return { transport, events };
  }

  test("because it cannot be written as JSON does not end the server", async () => {
    const { transport, events } = await started({});
    await expect(transport.send(circular())).rejects.toThrow(/circular/);
    await transport.send(pong);
    expect(events).toEqual(["unsent", JSON.stringify(pong)]);
  });

  test("and cannot be kept is reported, and the server ends", async () => {
    const { transport, events } = await started({
      write: () => {
        throw new Error("write EPIPE");
      },
      onUnsent: () => Promise.reject(new Error("no such module")),
    });
    await expect(transport.send(pong)).rejects.toThrow("EPIPE");
    await expect.poll(() => events).toEqual(["no such module", "closed"]);
  });
});
