import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { type OperationId, operations } from "../../src/contract/index.ts";
import type { Effect, Operation } from "../../src/contract/operation.ts";
import { createCli } from "../support/cli.ts";
import { negativeInputs } from "../support/negative.ts";
import { overNetwork } from "../support/service.ts";
import { validInput } from "../support/valid-inputs.ts";
import { agentOf, everything, spending } from "./client.ts";

const ids = Object.keys(operations) as OperationId[];
const effectOf = (id: OperationId): Effect => (operations[id] as Operation).effect ?? "read";
const nameOf = (id: string) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const hidden = ["getOpenApiDocument", "updateCurrentUserLegacy", "deleteCurrentUserLegacy"];
const offered = ids.filter((id) => !hidden.includes(id));
const described = ["terminate_rental", "get_balance", "list_rental_options"];
const writes = ids.filter((id) => effectOf(id) !== "read");

const listed = async (flags: string) => {
  const { client } = await agentOf(await createCli(), flags);
  return (await client.listTools()).tools;
};

describe("a server that may only read", () => {
  test("lists the reads of the contract, the reads that only the service's description lists, and wait_for_rental", async () => {
    const tools = await listed("--sandbox");
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [
        ...offered.filter((id) => effectOf(id) === "read").map(nameOf),
        "wait_for_rental",
        "get_balance",
        "list_rental_options",
      ].sort(),
    );
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
  });

  test("refuses every write of the contract, by tool name or operation ID, and says how the user can allow it", async () => {
    const { call, end } = await agentOf(await createCli());
    expect(writes.length).toBeGreaterThan(10);
    for (const [id, name] of writes.flatMap((one) => [[one, nameOf(one)] as const, [one, one] as const])) {
      const { ok, error } = await call(name, validInput(id));
      expect({ ok, error }, name).toEqual({
        ok: false,
        error: {
          code: "NOT_ALLOWED",
          status: null,
          retryable: false,
          advice: expect.stringMatching(
            new RegExp(
              `^${name} .*only the user can allow it.*gpuctl mcp --allow \\w+.*Nothing was sent\\.$`,
              "i",
            ),
          ),
        },
      });
    }
    expect((await end()).requests).toEqual([]);
  });

  test("refuses the termination that only the service's description lists", async () => {
    const { call, end } = await agentOf(await createCli());
    expect(await call("terminate_rental", { rentalId: "1001" })).toMatchObject({
      error: { code: "NOT_ALLOWED" },
    });
    expect((await end()).requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});

test("a server says why it lists only the documented tools if there is no description", async () => {
  const cli = await createCli({
    respond: ({ path }) => (path.endsWith("/openapi.json") ? Response.json({}, { status: 404 }) : undefined),
  });
  const { client, log } = await agentOf(cli, "", overNetwork());
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain("get_balance");
  expect(log()).toContain(
    "mcp: could not read the service's OpenAPI description (the service responded 404: {}), so only tools for the documented API are available\n",
  );
});

test.each([
  ["--sandbox --allow write", ["read", "write"]],
  [spending, ["read", "spend", "generate"]],
  ["--sandbox --allow destroy", ["read", "destroy"]],
  [everything, ["read", "write", "spend", "generate", "destroy"]],
])("%s allows the effects %j and no others", async (flags, effects) => {
  const names = (await listed(flags)).map(({ name }) => name);
  const own = names.filter((name) => name !== "wait_for_rental" && !described.includes(name));
  expect(own.sort()).toEqual(
    offered
      .filter((id) => effects.includes(effectOf(id)))
      .map(nameOf)
      .sort(),
  );
  expect(names.includes("terminate_rental")).toBe(effects.includes("destroy"));
});

test("an operation that the service does not list is not a tool", async () => {
  const cli = await createCli({ only: "documented" });
  const { client, call } = await agentOf(
    cli,
    "--base-url http://service.test --insecure-http --allow destroy",
    {
      env: { GPUCTL_API_KEY: cli.sandbox.keys.full },
    },
  );
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("list_storage_volumes");
  expect(names.filter((name) => described.includes(name))).toEqual([]);
  expect(await call("get_balance")).toMatchObject({ ok: false });
});

describe("the tools", async () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  formats.default(ajv);
  const tools = await import("../../src/mcp/tools.ts");
  const byId = new Map(tools.contractTools().map((tool) => [tool.operation, tool]));

  test("have valid schemas, and annotations that match their effect", async () => {
    for (const { name, inputSchema, outputSchema, annotations } of await listed(everything)) {
      expect(ajv.validateSchema(inputSchema), name).toBe(true);
      expect(ajv.validateSchema(outputSchema ?? {}), name).toBe(true);
      expect(JSON.stringify(inputSchema)).not.toContain("$ref");
      const id = offered.find((one) => nameOf(one) === name);
      const effect = id ? effectOf(id) : name === "terminate_rental" ? "destroy" : "read";
      expect(annotations).toMatchObject({
        readOnlyHint: effect === "read",
        destructiveHint: effect === "destroy",
        openWorldHint: false,
      });
    }
  });

  test.each(offered)("%s accepts a valid input, and rejects a field that it does not have", (id) => {
    const { inputSchema, issues } = byId.get(id) ?? {};
    const validate = ajv.compile(inputSchema ?? false);
    expect(validate(validInput(id)), JSON.stringify(validate.errors)).toBe(true);
    expect(issues?.(validInput(id))).toEqual([]);
    expect(issues?.({ ...validInput(id), stream: true })).toEqual([
      { path: ["stream"], message: "is not a field of this tool" },
    ]);
  });

  const negatives = offered.flatMap((id) => negativeInputs(id));
  test.each(negatives)(
    "$operation rejects an input that breaks $limit at $path",
    ({ operation, input, path, limit }) => {
      const { inputSchema, issues } = byId.get(operation) ?? {};
      expect(issues?.(input)).not.toEqual([]);
      // The JSON Schemas cannot express rules that compare fields, or check the calendar.
      const isRule =
        path.length === 0 || (operations[operation] as Operation).rules?.some(({ id }) => id === limit);
      if (!isRule && limit !== "date-time calendar")
        expect(ajv.validate(inputSchema ?? true, input)).toBe(false);
    },
  );

  test("have a read for each write whose effect can be looked up", () => {
    const unseen = ["request_reservation", "update_current_user"];
    const names = [
      ...writes.filter((id) => !hidden.includes(id) && effectOf(id) !== "generate").map(nameOf),
      "terminate_rental",
    ];
    expect(Object.keys(tools.lookAfter).sort()).toEqual(
      names.filter((name) => !unseen.includes(name)).sort(),
    );
    const reads = [...offered.filter((id) => effectOf(id) === "read").map(nameOf)];
    for (const look of Object.values(tools.lookAfter)) expect(reads).toContain(look);
  });
});

test("invalid arguments are named, and nothing is sent", async () => {
  const { call, end } = await agentOf(await createCli(), everything);
  expect(
    await call("create_bare_metal_rental", { gpus: 8, gpuCount: 3, networkType: "ethernet" }),
  ).toMatchObject({
    ok: false,
    data: { issues: ["gpus is not a field of this tool", "gpuCount must be a multiple of 8"] },
    error: { code: "INVALID_INPUT", advice: expect.stringContaining("Nothing was sent.") },
  });
  expect((await end()).requests).toEqual([]);
});

test("an unknown tool is a protocol error that suggests the nearest one", async () => {
  const { client } = await agentOf(await createCli());
  await expect(client.callTool({ name: "list_volumes" })).rejects.toThrow(
    /no tool "list_volumes".*list_storage_volumes/,
  );
});

test("a list is limited, and its result says how many records there are", async () => {
  const { call } = await agentOf(await createCli());
  const { data, total } = await call("list_rental_options", { limit: 2 });
  expect(data).toHaveLength(2);
  expect(total).toBeGreaterThan(2);
  expect((await call("list_rental_options")).data).toHaveLength(100);
});

test("without a service or without a key, a call says what the user can do", async () => {
  const cli = await createCli();
  const none = await agentOf(cli, "");
  expect(await none.call("list_storage_volumes")).toMatchObject({
    ok: false,
    error: { code: "NO_BASE_URL", advice: expect.stringContaining("gpuctl setup") },
  });
  const keyless = await agentOf(cli, "--base-url https://service.test");
  expect(await keyless.call("list_storage_volumes")).toMatchObject({
    ok: false,
    error: { code: "NO_CREDENTIAL", advice: expect.stringContaining("gpuctl auth login") },
  });
  expect((await keyless.end()).requests).toEqual([]);
});
