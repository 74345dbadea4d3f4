import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { descriptionPath, notFound } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const ref = (place: string) => ({ $ref: `#/components/${place}` });
const json = (schema: unknown) => ({ content: { "application/json": { schema } } });

/** A description with many unusual and invalid parts, which gpuctl must handle. */
const unusual = {
  openapi: "3.0.3",
  info: { title: "Odd", version: "1" },
  servers: [{ url: "https://odd.example/prefix/v9" }],
  paths: {
    "/no-id": { get: { responses: {} }, post: {} },
    "/things/{thing}": {
      parameters: [
        ref("parameters/Thing"),
        { name: "lang", in: "query", required: true, schema: { enum: ["en"] } },
      ],
      get: { operationId: "getThing", parameters: [ref("parameters/Lost"), ref("parameters/Page")] },
      delete: { operationId: "sameId" },
    },
    "/same-id": { get: { operationId: "sameId" } },
    "/nodes": { post: { operationId: "addNode", requestBody: ref("requestBodies/Node") } },
    "/nullable": {
      post: {
        operationId: "addNullable",
        requestBody: {
          required: true,
          ...json({
            type: "object",
            required: ["name", "size"],
            properties: {
              name: { type: "string", nullable: true, minLength: 2 },
              size: { type: "integer", minimum: 1, exclusiveMinimum: true },
              kind: { type: "string", enum: ["a", "b"], nullable: true },
            },
          }),
        },
      },
    },
    "/lost": { post: { operationId: "addLost", requestBody: json(ref("schemas/Nowhere")) } },
    "/loop": { post: { operationId: "addLoop", requestBody: json(ref("schemas/Loop")) } },
    "/wrong": {
      post: {
        operationId: "addWrong",
        requestBody: json({ type: "strange", pattern: "(" }),
        parameters: "none",
      },
    },
    "/numbers": { get: { operationId: 7, summary: [], tags: {}, parameters: [null, 7, {}, { name: 7 }] } },
    "/null": null,
    "/list": [],
    "/empty": {},
    "/text": { get: "nothing", put: null, post: 7 },
    "x-more": { get: {} },
  },
  components: {
    parameters: {
      Thing: { name: "thing", in: "path", required: true, schema: { type: "string", maxLength: 3 } },
      Page: { name: "page", in: "query", schema: ref("schemas/Count") },
    },
    requestBodies: { Node: { required: true, ...json(ref("schemas/Node")) } },
    schemas: {
      Count: { type: "integer", minimum: 1 },
      Loop: ref("schemas/Loop"),
      Node: {
        type: "object",
        required: ["value"],
        properties: {
          value: { type: "integer" },
          next: ref("schemas/Node"),
          all: { type: "array", items: ref("schemas/Node") },
        },
      },
    },
  },
};

const described = async (document: unknown = unusual) => {
  const { run } = await createCli({
    respond: ({ path }) => (path === descriptionPath ? Response.json(document) : Response.json({ path })),
  });
  return (line: string | readonly string[]) =>
    run(typeof line === "string" ? `api ${line}` : ["api", ...line], overNetwork());
};

/** All requests except those for the description. */
const sentBy = ({ requests }: Awaited<ReturnType<Awaited<ReturnType<typeof described>>>>) =>
  requests.filter(({ path }) => path !== descriptionPath);

describe("an unusual description", () => {
  test("is listed by `api list` and printed unchanged by `api spec`", async () => {
    const api = await described();
    expect((await api("list -o id")).out.split("\n")).toEqual([
      "GET /no-id",
      "POST /no-id",
      "getThing",
      "sameId",
      "sameId",
      "addNode",
      "addNullable",
      "addLost",
      "addLoop",
      "addWrong",
      "GET /numbers",
      "",
    ]);
    for (const format of ["table", "json", "csv", "yaml"])
      expect((await api(`list -o ${format}`)).code).toBe(0);
    expect(JSON.parse((await api("spec")).out)).toEqual(unusual);
  });

  test("is shown by `api describe` with an example for every operation", async () => {
    const api = await described();
    for (const { method, path } of JSON.parse((await api("list -o json")).out)) {
      const { code, err, out } = await api(`describe ${method} ${path} -o json`);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(JSON.parse(out).example).toMatch(/^gpuctl api call /);
    }
  });

  test("is shown with its limits, even if there is only a minimum or only a maximum", async () => {
    const api = await described();
    expect((await api("describe getThing")).out).toContain("at most 3 characters");
    const { out } = await api("describe addNullable");
    expect(out).toContain("at least 2 characters");
    expect(out).toContain("more than 1");
  });

  test.each([
    ["getThing -f thing=abc -f lang=en -f page=2", "GET /things/abc"],
    ["GET /things/abc -f lang=en", "GET /things/abc"],
    ["addNode -F value=1 -F next[value]=2 -F all[][value]=3", "POST /nodes"],
    ["addNullable -F name=null -F size=2 -F kind=null", "POST /nullable"],
    ["addLost -f a=b", "POST /lost"],
    ["addLoop -f a=b", "POST /loop"],
    ["addWrong -f a=b", "POST /wrong"],
    ["GET /no-id", "GET /no-id"],
    ["GET /numbers", "GET /numbers"],
    ["GET /same-id", "GET /same-id"],
  ])("can be used with `api call %s`", async (line, request) => {
    const api = await described();
    const outcome = await api(`call ${line}`);
    expect(outcome.code, outcome.err).toBe(0);
    expect(sentBy(outcome).map(({ method, path }) => `${method} ${path}`)).toEqual([request]);
  });

  test.each([
    ["getThing -f thing=abcd -f lang=en", "thing must have at most 3 characters"],
    ["getThing -f thing=abc", "lang is required"],
    ["getThing -f thing=abc -f lang=en -f page=0", "page must be at least 1"],
    ["addNode -F next[value]=2", "value is required"],
    ["addNode -F value=1 -F next[value]=x", "next[value] must be an integer"],
    ["addNode -F value=1 -F all[][next][value]=x", "all[0][next][value] must be an integer"],
    ["addNullable -f name=a -F size=2", "name must have at least 2 characters"],
    ["addNullable -F name=7 -F size=2", "name must be a string, or must be null"],
    ["addNullable -f name=abc -F size=1", "size must be more than 1"],
    ["addNullable -f name=abc -F size=2 -f kind=c", "kind must be one of a, b"],
    ["sameId", "several operations are called sameId"],
  ])("makes `api call` reject %s: %s", async (line, expected) => {
    const api = await described();
    const outcome = await api(`call ${line}`);
    expect(outcome.code, outcome.err).toBe(2);
    expect(outcome.err).toContain(expected);
    expect(sentBy(outcome)).toEqual([]);
  });

  test.each([
    ["getThin", 5, "Did you mean getThing"],
    ["GET", 2, "GET needs a path"],
  ])("has no operation %s, and the error says what is wrong", async (line, code, expected) => {
    const api = await described();
    for (const verb of ["call", "describe"]) {
      const outcome = await api(`${verb} ${line}`);
      expect(outcome.code).toBe(code);
      expect(outcome.err).toContain(expected);
      expect(sentBy(outcome)).toEqual([]);
    }
  });

  test("is listed as empty if it has no operations", async () => {
    const api = await described({ openapi: "3.1.0", paths: {} });
    expect(await api("list -o json")).toMatchObject({ code: 0, out: "[]\n" });
    expect((await api("list")).err).toBe("The service offers no operations.\n");
    expect((await api("describe getThing")).code).toBe(5);
  });

  /** Schemas that each refer to the next one several times: hundreds of millions of schemas or more, if expanded. */
  const exploding = (levels: number, width: number, refer: (refs: readonly object[]) => object) => ({
    openapi: "3.1.0",
    paths: {
      "/things": { post: { operationId: "addThing", requestBody: json(ref("schemas/L0")), responses: {} } },
    },
    components: {
      schemas: {
        ...Object.fromEntries(
          Array.from({ length: levels }, (_, level) => [
            `L${level}`,
            refer(Array.from({ length: width }, () => ref(`schemas/L${level + 1}`))),
          ]),
        ),
        [`L${levels}`]: { type: "object", required: ["end"], properties: { end: { type: "string" } } },
      },
    },
  });

  test.each([
    ["allOf", (refs: readonly object[]) => ({ allOf: refs })],
    ["anyOf", (refs: readonly object[]) => ({ anyOf: refs })],
    ["properties", (refs: readonly object[]) => ({ type: "object", properties: { ...refs } })],
  ])("is shown as far as possible if %s makes its schemas multiply", async (_name, refer) => {
    const api = await described(exploding(8, 12, refer));
    const { code, out, err } = await api("describe addThing -o json");
    expect({ code, err }).toEqual({
      code: 0,
      err: "The description of this operation is too complex to show all of it.\n",
    });
    expect(JSON.parse(out)).toMatchObject({ operationId: "addThing", path: "/things" });
  });

  test("does not prevent a call if its schemas multiply", async () => {
    const api = await described(exploding(30, 2, (refs) => ({ allOf: refs })));
    const start = performance.now();
    const outcome = await api("call addThing -f a=b");
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(outcome).toMatchObject({
      code: 0,
      err: "The schema of the body is invalid or too complex, so the body was not checked.\n",
    });
    expect(sentBy(outcome)).toHaveLength(1);
  });

  test("has an example even with a very long list or a circular choice", async () => {
    const api = await described({
      openapi: "3.1.0",
      paths: {
        "/long": {
          post: {
            operationId: "addLong",
            requestBody: {
              required: true,
              ...json({
                type: "object",
                required: ["all", "one"],
                properties: {
                  all: { type: "array", minItems: 1e9, items: { type: "integer" } },
                  one: ref("schemas/Either"),
                },
              }),
            },
          },
        },
      },
      components: { schemas: { Either: { oneOf: [ref("schemas/Either"), { type: "string" }] } } },
    });
    const { code, out } = await api("describe addLong -o json");
    expect(code).toBe(0);
    expect(JSON.parse(out).example).toMatch(/^gpuctl api call addLong -F 'all\[\]=1'/);
  });

  test.each([
    [{ type: "integer", minimum: 1, exclusiveMinimum: true }, 2],
    [{ type: "integer", minimum: 1, exclusiveMinimum: false }, 1],
    [{ type: "integer", minimum: 1, exclusiveMinimum: 1 }, 2],
    [{ type: "integer", minimum: 3, exclusiveMinimum: 1 }, 3],
    [{ type: "integer", maximum: 1, exclusiveMaximum: true }, 0],
    [{ type: "integer", maximum: 1, exclusiveMaximum: 1 }, 0],
    [{ type: "integer", maximum: -5 }, -5],
    [{ type: "integer", multipleOf: 8, exclusiveMaximum: 0 }, -8],
    [{ type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true }, 0.5],
    [{ type: "number", minimum: 0.5, exclusiveMaximum: 1 }, 0.75],
    [{ type: "number", maximum: 0.5 }, 0.5],
  ])("has an example within the limits of %j", async (schema, expected) => {
    const parameters = [{ name: "n", in: "query", required: true, schema }];
    const api = await described({
      openapi: "3.0.3",
      paths: { "/numbers": { get: { operationId: "getNumbers", parameters } } },
    });
    const { out } = await api("describe getNumbers -o json");
    expect(JSON.parse(out).example).toBe(`gpuctl api call getNumbers -F n=${expected}`);
    expect(await api(`call getNumbers -F n=${expected}`)).toMatchObject({ code: 0 });
  });

  test("that is missing makes `api call` exit with 5 for an operation ID", async () => {
    const { run } = await createCli({ respond: notFound });
    expect((await run("api call getThing", overNetwork())).code).toBe(5);
  });
});

test("the example of `api describe` quotes text from the description for the shell", async () => {
  const operationId = "foo;$(id)";
  const api = await described({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: { "/v2/things": { get: { operationId } }, "/v2/$(touch PWN)/a": { get: {} } },
  });
  expect((await api(["describe", operationId, "--jq", ".example"])).out).toBe(
    `gpuctl api call '${operationId}'\n`,
  );
  expect((await api(["describe", "GET", "/v2/$(touch PWN)/a", "--jq", ".example"])).out).toBe(
    "gpuctl api call GET '/v2/$(touch PWN)/a'\n",
  );
});
