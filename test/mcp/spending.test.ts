import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Cli, createCli, type Responder } from "../support/cli.ts";
import { base64, tinyPng } from "../support/pictures.ts";
import { serviceUrl } from "../support/service.ts";
import { agentOf, everything, quickPictures, structured } from "./client.ts";

const picture = { model_name: "SDXL1.0-base", prompt: "a cat", steps: 25 };
const log = async ({ folder }: Cli) =>
  (await readFile(join(folder, "state", "mcp-spending.jsonl"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const posts = (requests: readonly { method: string }[]) => requests.filter(({ method }) => method === "POST");

test.each([
  ["--allow spend", "--allow spend requires --max-cost and --max-burn"],
  ["--allow spend --max-cost 5", "--allow spend requires --max-burn"],
  ["--allow spend --max-burn 5", "--allow spend requires --max-cost"],
  ["--assume-price 1", "--assume-price requires --allow spend"],
  ["--allow all", "--allow must be one of write, spend, destroy"],
  ["--dry-run", "--dry-run does not apply to mcp"],
])("mcp %s exits with 2", async (flags, message) => {
  const cli = await createCli();
  const { code, out, err } = await cli.run(`mcp --sandbox ${flags}`);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(message);
});

test("--max-cost limits the cost of all calls together, even of calls at the same time", async () => {
  const cli = await createCli({ respond: quickPictures });
  const { call, end } = await agentOf(cli, "--sandbox --allow spend --max-cost 0.02 --max-burn 1");
  expect((await call("generate_image", picture)).cost).toEqual({
    dollars: 0.01,
    spentDollars: 0.01,
    limitDollars: 0.02,
  });
  const both = await Promise.all([call("generate_image", picture), call("generate_image", picture)]);
  expect(both.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect(both.find(({ ok }) => !ok)).toMatchObject({
    data: { message: "this would cost $0.01; $0.02 of the limit of $0.02 is spent" },
    error: { code: "BUDGET_EXCEEDED", advice: "Nothing was sent." },
  });
  expect(posts((await end()).requests)).toHaveLength(2);
});

test("a request that the service refuses costs nothing, and a request whose outcome is unknown counts as paid", async () => {
  let status = 400;
  const cli = await createCli({
    respond: ({ path }) =>
      path === "/v1/image/generation"
        ? Response.json({ code: "X", message: "no", issues: [] }, { status })
        : undefined,
  });
  const { call } = await agentOf(cli, "--sandbox --allow spend --max-cost 0.01 --max-burn 1");
  expect(await call("generate_image", picture)).toMatchObject({
    ok: false,
    cost: { dollars: 0, spentDollars: 0 },
  });
  status = 500;
  expect(await call("generate_image", picture)).toMatchObject({
    error: {
      code: "UNKNOWN_OUTCOME",
      retryable: false,
      advice: expect.stringContaining("is charged as well"),
    },
    cost: { spentDollars: 0.01 },
  });
  expect(await call("generate_image", picture)).toMatchObject({ error: { code: "BUDGET_EXCEEDED" } });
});

test("calls without a documented price are refused, unless the user sets --assume-price", async () => {
  const chat = { model: "sandbox-echo", messages: [{ role: "user", content: "hi" }] };
  const limits = "--sandbox --allow spend --max-cost 0.5 --max-burn 1";
  const strict = await agentOf(await createCli(), limits);
  for (const [name, args] of [
    ["create_chat_completion", chat],
    ["generate_audio", { text: "hi" }],
  ] as const) {
    expect(await strict.call(name, args)).toMatchObject({
      data: { message: expect.stringContaining("--assume-price") },
      error: { code: "BUDGET_EXCEEDED" },
    });
  }
  expect(posts((await strict.end()).requests)).toEqual([]);
  const { call } = await agentOf(await createCli(), `${limits} --assume-price 0.3`);
  expect(await call("create_chat_completion", chat)).toMatchObject({ ok: true, cost: { spentDollars: 0.3 } });
  expect(await call("generate_audio", { text: "hi" })).toMatchObject({ error: { code: "BUDGET_EXCEEDED" } });
});

const answering =
  (reply: () => string, path: string): Responder =>
  (request) =>
    request.method === "POST" && request.path === path
      ? new Response(reply(), { headers: { "content-type": "application/json" } })
      : undefined;
const chatPath = "/v1/chat/completions";
const limitOfTwo = "--sandbox --allow spend --max-cost 2 --max-burn 9 --assume-price 1";
const question = { model: "sandbox-echo", messages: [{ role: "user", content: "hi" }] };

test("an answer that is nested too deeply arrives as JSON text, and its price stays counted", async () => {
  const deep = `${"[".repeat(9000)}${"]".repeat(9000)}`;
  const choices = `[{"index":0,"message":{"role":"assistant","content":"Paid"},"extra":${deep}}]`;
  const cli = await createCli({ respond: answering(() => `{"choices":${choices}}`, chatPath) });
  const { call, end } = await agentOf(cli, limitOfTwo);
  expect(await call("create_chat_completion", question)).toMatchObject({
    ok: true,
    data: expect.stringContaining(deep),
    cost: { spentDollars: 1 },
  });
  expect(await call("create_chat_completion", question)).toMatchObject({ ok: true });
  expect(await call("create_chat_completion", question)).toMatchObject({
    error: { code: "BUDGET_EXCEEDED" },
  });
  expect(posts((await end()).requests)).toHaveLength(2);
});

test("a create whose response is nested too deeply counts as a success, and its result has the ID of the rental", async () => {
  const deep = `${"[".repeat(9000)}${"]".repeat(9000)}`;
  const path = "/v2/on-demand/virtual-machine-rentals";
  const cli = await createCli({ respond: answering(() => `{"id":"1001","extra":${deep}}`, path) });
  const { call } = await agentOf(cli, limitOfTwo);
  expect(await call("create_virtual_machine_rental", { gpuCount: 1 })).toMatchObject({
    ok: true,
    data: expect.stringContaining('"id":"1001"'),
  });
});

test.each([
  ["is long", "x".repeat(6_000_000)],
  ["has characters of three bytes", "€".repeat(2_000_000)],
  ["has many quotation marks", '\\"'.repeat(2_000_000)],
  ["has many control characters", "\\u0001".repeat(2_500_000)],
])(
  "an answer that %s is saved to a file, its price stays counted, and the server goes on",
  async (_, content) => {
    const reply = `{"choices":[{"index":0,"message":{"role":"assistant","content":"${content}"}}]}`;
    const cli = await createCli({ respond: answering(() => reply, chatPath) });
    const { call } = await agentOf(cli, limitOfTwo);
    const result = await call("create_chat_completion", question);
    expect(result).toMatchObject({ ok: true, data: null, cost: { spentDollars: 1 } });
    const note = result.notes?.at(-1) ?? "";
    expect(note).toMatch(/ cannot be shown: the result is longer than \d+ bytes\. The data was /);
    const path = /The data was saved to (.*)\.$/.exec(note)?.[1] ?? "";
    expect((await readFile(path, "utf8")) === reply).toBe(true);
    expect(await call("list_storage_volumes")).toMatchObject({ ok: true });
  },
);

test("a result with many pictures has the paths of all, but only as many of the pictures as a client accepts", async () => {
  const large = Buffer.concat([tinyPng(), Buffer.alloc(590 * 1024)]);
  const images = Array.from({ length: 16 }, (_, index) => ({ index, image: base64(large), random_seed: 42 }));
  const cli = await createCli({
    respond: answering(() => JSON.stringify({ images }), "/v1/image/generation"),
  });
  const { client } = await agentOf(cli, everything);
  const result = await client.callTool({ name: "generate_image", arguments: picture });
  expect(structured(result as never).data).toHaveLength(16);
  const types = (result.content as { type: string }[]).map(({ type }) => type);
  expect(types).toEqual(["text", ...Array(12).fill("image")]);
});

test("the price counts once for each answer that a call requests", async () => {
  const chat = { model: "sandbox-echo", messages: [{ role: "user", content: "hi" }] };
  const cli = await createCli();
  const { call, end } = await agentOf(
    cli,
    "--sandbox --allow spend --max-cost 0.5 --max-burn 1 --assume-price 0.1",
  );
  for (const [name, args] of [
    ["create_chat_completion", { ...chat, n: 6 }],
    ["generate_audio", { text: "hi", n: 100 }],
  ] as const)
    expect(await call(name, args)).toMatchObject({ error: { code: "BUDGET_EXCEEDED" } });
  expect(await call("create_chat_completion", { ...chat, n: 1 })).toMatchObject({ cost: { dollars: 0.1 } });
  expect(posts((await end()).requests)).toHaveLength(1);
});

test.each([1e16, 0, -1, 1.5, "6", true, [6]])(
  "a call with a budget is refused if its number of answers is %j",
  async (n) => {
    const { call, end } = await agentOf(await createCli(), limitOfTwo);
    for (const [name, args] of [
      ["create_chat_completion", question],
      ["generate_audio", { text: "hi" }],
    ] as const)
      expect(await call(name, { ...args, n })).toMatchObject({
        data: { message: expect.stringContaining("n, the number of answers, is not a whole number") },
        error: { code: "BUDGET_EXCEEDED" },
      });
    expect(posts((await end()).requests)).toEqual([]);
  },
);

test("a call whose number of answers is null is charged for one answer", async () => {
  const { call } = await agentOf(await createCli(), limitOfTwo);
  expect(await call("create_chat_completion", { ...question, n: null })).toMatchObject({
    ok: true,
    cost: { dollars: 1 },
  });
});

test("--max-burn limits active and new rentals together, across calls", async () => {
  const cli = await createCli();
  const { call, end } = await agentOf(cli, "--sandbox --allow spend --max-cost 1 --max-burn 5");
  const both = await Promise.all([1, 2].map(() => call("create_virtual_machine_rental", { gpuCount: 2 })));
  expect(both.map(({ ok }) => ok)).toEqual([true, false]);
  expect(both[0]?.cost).toMatchObject({ dollarsPerHour: 4 });
  expect(both[1]).toMatchObject({
    data: { message: expect.stringContaining("together $8.00, and the limit is $5.00") },
    error: { code: "BUDGET_EXCEEDED" },
  });
  expect(posts((await end()).requests)).toHaveLength(1);
});

test("without the flags, the budget of the profile sets the limits", async () => {
  const cli = await createCli();
  await cli.run("profile add work --base-url https://service.test");
  const start = async (flags: string) => (await cli.run(`mcp --sandbox --profile work ${flags}`)).err;
  await cli.run("config set budget.maxBurn 1 --profile work");
  expect(await start("--allow spend")).toContain("--allow spend requires --max-cost");
  await cli.run("config set budget.maxCost 2 --profile work");
  expect(await start("")).toContain("allowed: read.");
  const { call } = await agentOf(cli, "--sandbox --profile work --allow spend");
  expect(await call("create_virtual_machine_rental", { gpuCount: 1 })).toMatchObject({
    data: { message: expect.stringContaining("the limit is $1.00") },
    cost: { limitDollars: 2 },
  });
});

test("a reserved term counts with its whole price, and creating a rental with a reserved term is refused", async () => {
  const cli = await createCli();
  const { call, end } = await agentOf(cli, everything);
  expect(
    await call("create_virtual_machine_rental", { gpuCount: 1, termType: "reserved", termPeriodDays: 30 }),
  ).toMatchObject({
    data: { message: expect.stringContaining("convert_to_reserved") },
    error: { code: "BUDGET_EXCEEDED" },
  });
  const { data } = await call("create_virtual_machine_rental", { gpuCount: 1 });
  const term = { rentalId: (data as { id: number }).id, termPeriodDays: 30, expectedTotalPriceCents: 501 };
  expect(await call("convert_to_reserved", term)).toMatchObject({
    data: { message: "this would cost $5.01; $0.00 of the limit of $5.00 is spent" },
  });
  // The service expects another price, so nothing was committed.
  expect(await call("convert_to_reserved", { ...term, expectedTotalPriceCents: 500 })).toMatchObject({
    ok: false,
    cost: { dollars: 0, spentDollars: 0 },
  });
  expect(posts((await end()).requests)).toHaveLength(2);
});

test("every call that is not a read is logged with its cost, on stderr and in a file", async () => {
  const cli = await createCli({ respond: quickPictures });
  const agent = await agentOf(cli, everything);
  await agent.call("list_storage_volumes");
  await agent.call("create_virtual_machine_rental", { gpuCount: 1 });
  await agent.call("generate_image", picture);
  await agent.call("terminate_rental", { rentalId: "1001" });
  await agent.end();
  const entries = await log(cli);
  expect(entries.map(({ call, tool, event, dollars }) => [call, tool, event, dollars])).toEqual([
    [1, "create_virtual_machine_rental", "started", null],
    [1, "create_virtual_machine_rental", "done", null],
    [2, "generate_image", "started", 0.01],
    [2, "generate_image", "done", 0.01],
    [3, "terminate_rental", "started", null],
    [3, "terminate_rental", "done", null],
  ]);
  expect(entries[1]).toMatchObject({ id: "1001", dollarsPerHour: 2, sandbox: true });
  expect(agent.log()).toContain("mcp: call 1, create_virtual_machine_rental: done, ID 1001, $2.00 an hour\n");
  expect(agent.log()).toContain("mcp: call 2, generate_image: done, $0.01\n");
});

test("the spending log masks keys in the message of an error", async () => {
  const secret = "hvs.CAESIJ0123456789abcdef";
  const cli = await createCli();
  const command = `curl -H 'X-Vault-Token: ${secret}' https://vault.example`;
  await cli.run(["profile", "add", "work", "--base-url", serviceUrl, "--key-command", command]);
  const { call, end } = await agentOf(cli, "--profile work --allow destroy", {
    programs: { output: async () => "" },
  });
  expect(await call("terminate_rental", { rentalId: "1001" })).toMatchObject({ ok: false });
  await end();
  const [, failed] = await log(cli);
  expect(failed).toMatchObject({ event: "failed", problem: expect.stringContaining("X-Vault-Token: ****'") });
  expect(JSON.stringify(failed)).not.toContain(secret);
});

test("nothing is spent when the log cannot be written", async () => {
  const cli = await createCli({ respond: quickPictures });
  const { call, end } = await agentOf(cli, everything);
  await mkdir(join(cli.folder, "state", "mcp-spending.jsonl"), { recursive: true });
  expect(await call("generate_image", picture)).toMatchObject({
    ok: false,
    data: {
      message: expect.stringMatching(/^the spending log cannot be written: cannot save .*: it is a folder$/),
    },
  });
  expect(posts((await end()).requests)).toEqual([]);
});
