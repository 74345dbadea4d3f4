import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { description, descriptionPath, requestLines, service } from "../support/described.ts";
import { always, key, overNetwork } from "../support/service.ts";

const records = [
  { id: 7, price: { hourlyCents: 250 }, tags: ["a", "b"], note: "x,y" },
  { id: 8, price: { hourlyCents: 1000 } },
];

describe("api call prints the response in the requested format", () => {
  const printed = async (response: unknown, flags: string) => {
    const { run } = await createCli({ respond: always(200, response) });
    const { code, out } = await run(`api call GET /v2/things ${flags}`, overNetwork());
    expect(code).toBe(0);
    return out;
  };

  test.each([
    ["-o table", "ID  PRICE.HOURLY  TAGS  NOTE\n 7         $2.50  a, b  x,y\n 8        $10.00  -     -\n"],
    ["-o csv", 'id,price.hourlyCents,tags,note\r\n7,250,"a, b","x,y"\r\n8,1000,,\r\n'],
    ["-o tsv --columns note,id", "note\tid\nx,y\t7\n\t8\n"],
    ["--columns id", "ID\n 7\n 8\n"],
    ["-o csv --no-header --columns id", "7\r\n8\r\n"],
    ["-o id", "7\n8\n"],
    ["--paginate -o id", "7\n8\n"],
    ["-o jsonl", `${records.map((record) => JSON.stringify(record)).join("\n")}\n`],
  ])("a list with %s", async (flags, expected) => {
    expect(await printed(records, flags)).toBe(expected);
    if (!flags.includes("paginate"))
      expect(await printed({ items: records, next: null }, flags)).toBe(expected);
  });

  test.each([
    ["-o table", "id:            7\nprice.hourly:  $2.50\ntags:          a, b\nnote:          x,y\n"],
    ["-o csv", 'id,price.hourlyCents,tags,note\r\n7,250,"a, b","x,y"\r\n'],
    ["-o id", "7\n"],
    ["-o jsonl", `${JSON.stringify(records[0])}\n`],
  ])("a record with %s", async (flags, expected) => {
    expect(await printed(records[0], flags)).toBe(expected);
  });

  test.each(["", "-o json", "--jq ."])("JSON unchanged with %j", async (flags) => {
    for (const response of [records, records[0], { items: records }, null, []]) {
      expect(JSON.parse(await printed(response, flags))).toEqual(response);
    }
  });

  test.each([
    [["a", "b"], "-o id", "a\nb\n"],
    [["a", "b"], "-o csv", "value\r\na\r\nb\r\n"],
    [[], "-o csv", ""],
    [[{ volumeId: 3 }], "-o id", "3\n"],
    [null, "-o id", ""],
    [7, "-o table", "7\n"],
  ])("the response %j with %s", async (response, flags, expected) => {
    expect(await printed(response, flags)).toBe(expected);
  });

  test("but prints text unchanged if it is not JSON, and rejects --include with -o csv", async () => {
    const { run } = await createCli({ respond: always(200, "plain", { "content-type": "text/plain" }) });
    expect((await run("api call GET /v2/x -o csv", overNetwork())).out).toBe("plain");
    const rejected = await run("api call GET /v2/x -i -o csv", overNetwork());
    expect(rejected.code).toBe(2);
    expect(rejected.requests.some(({ path }) => path === "/v2/x")).toBe(false);
  });

  test("but fails if the response cannot be parsed, and the outcome of a write is then unknown", async () => {
    const { run } = await createCli({ respond: always(200, "{", { "content-type": "application/json" }) });
    expect((await run("api call POST /v2/x", overNetwork())).code).toBe(10);
    expect((await run("api call GET /v2/x", overNetwork())).code).toBe(7);
  });
});

describe("headers and cookies of an operation", () => {
  const parameter = (name: string, place: string, required = false) => ({
    name,
    in: place,
    required,
    schema: { type: "string", minLength: 2 },
  });
  const document = description({
    "POST /v2/things": {
      operationId: "addThing",
      parameters: [
        parameter("Idempotency-Key", "header", true),
        parameter("Authorization", "header", true),
        parameter("X-Team", "header"),
        parameter("theme", "cookie"),
      ],
      requestBody: { content: { "application/json": { schema: { type: "object" } } } },
    },
    "GET /v2/things": { operationId: "listThings", parameters: [parameter("session", "cookie", true)] },
  });
  const called = async (line: string) => {
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(document),
        "POST /v2/things": () => Response.json({}),
      }),
    });
    return run(`api call ${line}`, overNetwork());
  };

  test("headers are set like fields, and the API key is still sent", async () => {
    const { code, requests } = await called("addThing -f idempotency-key=abc -F X-Team=12 -f name=x");
    expect(code).toBe(0);
    expect(requests.at(-1)).toMatchObject({
      headers: { "idempotency-key": "abc", "x-team": "12", authorization: `Bearer ${key}` },
      body: { name: "x" },
    });
  });

  test.each([
    ["addThing", "Idempotency-Key is required"],
    ["addThing -f Idempotency-Key=a", "Idempotency-Key must have at least 2 characters"],
    [
      "addThing -f Idempotency-Key=abc -f Authorization=mine",
      "Authorization is a header that only gpuctl can set",
    ],
    ["addThing -f Idempotency-Key=abc -F idempotency-key=abd", "Idempotency-Key is given twice"],
    ["addThing -f Idempotency-Key='a\nb: c'", "Idempotency-Key cannot be sent in a header"],
    ["listThings", "session is required as a cookie, and cookies are not supported"],
  ])("%s is rejected: %s", async (line, reported) => {
    const { code, err, requests } = await called(line);
    expect(code).toBe(2);
    expect(err).toContain(reported);
    expect(requestLines(requests)).toEqual([`GET ${descriptionPath}`]);
  });

  test("the example in `api describe` has the required parameters, except a header that gpuctl sends itself", async () => {
    const { run } = await createCli({ respond: always(200, document) });
    const { out } = await run("api describe addThing -o json", overNetwork());
    expect(JSON.parse(out).example).toBe("gpuctl api call addThing -f Idempotency-Key=text");
    expect((await run("api describe addThing -o id", overNetwork())).out).toBe("addThing\n");
  });
});

describe("an empty response to api call", () => {
  const promise = (status: string) => ({
    responses: { [status]: { content: { "application/json": { schema: { type: "object" } } } } },
  });
  const document = description({
    "POST /v2/things": { operationId: "addThing", ...promise("200") },
    "GET /v2/things": { operationId: "listThings", ...promise("2XX") },
    "PUT /v2/things": { operationId: "setThings", ...promise("default") },
    "DELETE /v2/things": { operationId: "dropThings", responses: { "200": { description: "Gone" } } },
  });
  const runWith = async (line: string, status: number, type?: string) => {
    const { run } = await createCli({
      respond: ({ path }) =>
        path === descriptionPath
          ? Response.json(document)
          : new Response(null, { status, headers: type === undefined ? {} : { "content-type": type } }),
    });
    return run(`api call ${line} --yes`, overNetwork());
  };

  test.each([
    ["addThing", undefined, 10],
    ["setThings", undefined, 10],
    ["listThings", undefined, 7],
    ["listThings -i", undefined, 7],
    ["dropThings", "application/json", 10],
    ["POST /v2/x", "application/json; charset=utf-8", 10],
    ["GET /v2/x", "application/problem+json", 7],
  ])("is an error if JSON was expected: %s, content type %s, exit code %i", async (line, type, code) => {
    const ran = await runWith(line, 200, type);
    expect({ code: ran.code, out: ran.out }, ran.err).toEqual({ code, out: "" });
    expect(ran.err).toContain("the service responded 200 with an empty body");
    if (code === 10) expect(ran.err).toContain("the outcome is unknown");
  });

  test.each([
    ["addThing", 204, "application/json"],
    ["addThing", 205, undefined],
    ["POST /v2/x", 200, undefined],
    ["POST /v2/x", 200, "text/plain"],
    ["dropThings", 200, undefined],
    ["HEAD /v2/things", 200, "application/json"],
  ])("is accepted if no body was expected: %s, %i, content type %s", async (line, status, type) => {
    expect(await runWith(line, status, type)).toMatchObject({ code: 0, out: "" });
  });

  test("is also an error in the sandbox", async () => {
    const { run } = await createCli();
    await run("sandbox fault add --operation createVirtualMachineRental --cut-stream-after 0");
    const ran = await run("api call createVirtualMachineRental -F gpuCount=1 --sandbox");
    expect(ran).toMatchObject({ code: 10, out: "" });
  });
});

describe("the content type of a response to api call", () => {
  const error = '{"code":"CONFLICT","message":"Busy","issues":[]}';
  const json = { content: { "application/json": { schema: { type: "object" } } } };
  const streamed = { content: { ...json.content, "text/event-stream": { schema: { type: "string" } } } };
  const document = description({
    "POST /v2/things": { operationId: "addThing", responses: { "200": json } },
    "POST /v2/answers": { operationId: "answer", responses: { "200": streamed } },
    "POST /v2/jobs": { operationId: "startJob", responses: { "202": json, "204": {} } },
    "GET /v2/things": { operationId: "listThings", responses: { "200": json } },
  });

  test.each([
    ["addThing", "text/html", "<html>Log in</html>", 10],
    ["addThing", "text/plain", error, 10],
    ["POST /v2/unlisted", "text/plain", error, 10],
    ["POST /v2/unlisted", "text/plain", "done", 0],
    ["answer", "text/event-stream; charset=utf-8", "data: {}\n\ndata: [DONE]\n\n", 0],
    ["answer", "text/html", "<html>Log in</html>", 10],
    ["startJob", "text/html", "<html>Log in</html>", 10],
    ["startJob", "application/json", "{}", 0],
    ["listThings", "text/html", "<html>Log in</html>", 0],
  ])("affects the exit code: %s, %s, %s, exit code %i", async (line, type, body, code) => {
    const { run } = await createCli({
      respond: ({ path }) =>
        path === descriptionPath
          ? Response.json(document)
          : new Response(body, { headers: { "content-type": type } }),
    });
    const ran = await run(`api call ${line} --yes`, overNetwork());
    expect(ran.code, ran.err).toBe(code);
    if (code === 10) expect(ran.out).toBe("");
  });
});

describe("a response to api call with status 200 that reports a failure or is not a list", () => {
  const error = { code: "CONFLICT", message: "Busy", issues: [] };
  const document = description({
    "POST /v2/end": { operationId: "endIt" },
    "DELETE /v2/things": { operationId: "dropThings" },
    "GET /v2/things": { operationId: "listThings" },
  });

  test.each([
    ["endIt", error, 10, "the service reported CONFLICT: Busy"],
    ["endIt -i", { success: false }, 10, "the service reported a failure (success: false)"],
    ["dropThings", { success: false }, 7, "the service reported a failure (success: false)"],
    ["listThings", error, 7, "the service reported CONFLICT: Busy"],
    ["listThings --paginate", error, 7, "the service reported CONFLICT: Busy"],
    ["listThings --paginate", { message: "maintenance" }, 7, "page 1 of the listing is not a list"],
  ])("is an error: %s, %j", async (line, response, code, message) => {
    const { run } = await createCli({
      respond: ({ path }) => Response.json(path === descriptionPath ? document : response),
    });
    const ran = await run(`api call ${line} --yes`, overNetwork());
    expect({ code: ran.code, out: ran.out }, ran.err).toEqual({ code, out: "" });
    expect(ran.err).toContain(message);
  });
});

test.each([
  [{ code: "CONFLICT", message: "Busy", issues: [] }, "the service reported CONFLICT: Busy"],
  [{ message: "maintenance" }, "the response is not a list"],
])("chat models fails if the response is %j", async (response, message) => {
  const document = description({ "GET /v1/models": {} });
  const { run } = await createCli({
    respond: ({ path }) => Response.json(path === descriptionPath ? document : response),
  });
  const { code, out, err } = await run("chat models", overNetwork());
  expect({ code, out }, err).toEqual({ code: 7, out: "" });
  expect(err).toContain(message);
});

test("api call reports most invalid values with the same words as other commands", async () => {
  const properties = {
    short: { type: "string", minLength: 1 },
    many: { type: "array", maxItems: 1 },
    none: { type: "array", minItems: 1 },
    one: { type: "array", uniqueItems: true },
    below: { type: "number", exclusiveMaximum: 3 },
    most: { type: "number", maximum: 3 },
    step: { type: "number", multipleOf: 5 },
    shape: { type: "string", pattern: "^a" },
    either: { type: ["integer", "boolean"] },
    empty: { type: "object", minProperties: 1 },
  };
  const document = description({
    "POST /v2/x": {
      operationId: "addX",
      requestBody: { content: { "application/json": { schema: { type: "object", properties } } } },
    },
  });
  const { run } = await createCli({ respond: always(200, document) });
  const fields = {
    short: "",
    many: [1, 2],
    none: [],
    one: [1, 1],
    below: 3,
    most: 4,
    step: 7,
    shape: "b",
    either: "x",
    empty: {},
  };
  const ran = await run("api call addX --input - -o json", {
    ...overNetwork(),
    stdin: JSON.stringify(fields),
  });
  const { issues } = JSON.parse(ran.err).error;
  const reported = issues.map(({ flag, message }: { flag: string; message: string }) => `${flag} ${message}`);
  expect(reported).toEqual([
    "short must have at least 1 character",
    "many must have at most 1 item",
    "none must have at least 1 item",
    "one must NOT have duplicate items (items ## 0 and 1 are identical)",
    "below must be less than 3",
    "most must be at most 3",
    "step must be a multiple of 5",
    "shape must match ^a",
    "either must be an integer or a boolean",
    "empty must NOT have fewer than 1 properties",
  ]);
});
