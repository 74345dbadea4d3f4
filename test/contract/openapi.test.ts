import { expect, test } from "vitest";
import { check } from "../../src/contract/check/check.ts";
import { openApi } from "../../src/contract/document/openapi.ts";
import { type OperationId, operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";

const all: readonly Operation[] = Object.values(operations);
const document = openApi(all, { servers: ["https://api.example.org/prefix"] });
const text = JSON.stringify(document);

/** The description of an operation, as plain JSON. */
const entry = (id: OperationId) => {
  const { path, method } = operations[id];
  return Object(Object(document.paths[path])[method.toLowerCase()]);
};

test("the description has version 2.0.0 and requires a bearer credential", () => {
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\./),
    info: { version: "2.0.0" },
    servers: [{ url: "https://api.example.org/prefix" }],
    security: [{ Authorization: [] }],
    components: { securitySchemes: { Authorization: { type: "http", scheme: "bearer" } } },
  });
  expect(entry("getOpenApiDocument").security).toEqual([]);
});

test.each(Object.keys(operations) as OperationId[])(
  "%s is described with its tag, summary, deprecation, statuses and error codes",
  (id) => {
    const { responses, tags, summary, deprecated } = entry(id);
    const { errors: codes, group, summary: expected, deprecated: old } = operations[id];
    expect({ tags, summary, deprecated }).toEqual({ tags: [group], summary: expected, deprecated: old });
    expect(Object.keys(responses)).toHaveLength(1 + codes.length);
    const examples = Object.entries(responses).flatMap(([status, response]) =>
      status === "200" ? [] : [Object(response).content["application/json"].example.code],
    );
    expect([...examples].sort()).toEqual([...codes].sort());
  },
);

test("the description has the limits, defaults and alternatives of fields", () => {
  const { properties, required } =
    entry("createBareMetalRental").requestBody.content["application/json"].schema;
  expect(required).toEqual(["networkType", "gpuCount"]);
  expect(properties.gpuCount).toMatchObject({ minimum: 1, multipleOf: 8 });
  expect(properties.region).toMatchObject({ default: "us-central-1" });
  expect(properties.storageVolume).toMatchObject({
    oneOf: [
      { $ref: "#/components/schemas/ExistingStorageVolume" },
      { $ref: "#/components/schemas/NewStorageVolume" },
    ],
  });
});

test("only text fields are discriminators, because generators treat the values of a boolean discriminator as text", () => {
  const { schema } = entry("getRental").responses[200].content["application/json"];
  expect(JSON.stringify(schema)).toContain('"discriminator":{"propertyName":"state"');
  const body = entry("createBareMetalRental").requestBody.content["application/json"];
  expect(JSON.stringify(body)).not.toContain("discriminator");
});

test("query fields are parameters", () => {
  expect(entry("getRental").parameters).toEqual([
    {
      name: "rentalId",
      in: "query",
      required: true,
      description: "ID of the rental",
      schema: { type: "string", minLength: 1 },
      example: "1001",
    },
  ]);
});

test("what the schema of an operation cannot express is in the text about the operation", () => {
  expect(entry("generateImage").description).toContain("1024x1024");
  expect(entry("createBareMetalRental").description).toBe(
    "Rent bare-metal machines.\n\nUse POST /v2/on-demand/rentals with rentalType bare-metal.",
  );
});

test("a deprecated path declares its Sunset header", () => {
  expect(entry("updateCurrentUserLegacy").responses[200].headers).toHaveProperty("Sunset");
  expect(entry("updateCurrentUser").responses[200]).not.toHaveProperty("headers");
});

test("chat can respond with a stream", () => {
  expect(Object.keys(entry("createChatCompletion").responses[200].content)).toEqual([
    "application/json",
    "text/event-stream",
  ]);
});

test("only the given operations are described", () => {
  const one = openApi([operations.listStorageVolumes], { servers: [] });
  expect(Object.keys(one.paths)).toEqual(["/v2/on-demand/storage-volumes"]);
  expect(Object.keys(Object(one.components).schemas).sort()).toEqual(["Error", "Id", "StorageVolume"]);
});

test("the description has no traces of the schema library", () => {
  for (const noise of ["propertyNames", "$schema", "~standard", "$defs", "[02468][048]00"]) {
    expect(text).not.toContain(noise);
  }
});

test.each(Object.keys(operations) as OperationId[])(
  "%s has an example of its body and of its result",
  (id) => {
    const { requestBody, responses } = entry(id);
    if (operations[id].in === "body") {
      const { example } = requestBody.content["application/json"];
      expect(check(operations[id] as Operation, example)).toMatchObject({ ok: true });
    }
    const { example } = responses[200].content["application/json"];
    expect(operations[id].output.safeParse(example)).toMatchObject({ success: true });
  },
);

test("the LoRAs and the price of a picture are described", () => {
  const { description } = entry("generateImage");
  expect(description).toContain("LoRAs for SD1.5: Add_Detail, Superhero, Lineart");
  expect(description).toContain("0.01 x (width/1024) x (height/1024) x (steps/25)");
});
