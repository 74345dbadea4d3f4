import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { description, descriptionPath, requestLines } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const slow = "^(a+)+$";
const stuck = `${"a".repeat(40)}!`;

/** Runs `api call` for an operation with these body properties and parameters. */
const called = async (properties: object, fields: string, parameters: readonly object[] = []) => {
  const document = description({
    "POST /v2/things": {
      operationId: "addThing",
      parameters,
      requestBody: { content: { "application/json": { schema: { type: "object", properties } } } },
    },
  });
  const { run } = await createCli({
    respond: ({ path }) => Response.json(path === descriptionPath ? document : { id: 1 }),
  });
  return run(`api call addThing ${fields}`, overNetwork());
};

const text = (pattern: string) => ({ type: "string", pattern });
const sent = "POST /v2/things";

describe("a pattern in the description that takes too long", () => {
  test.each([
    ["in the body", { a: text(slow) }, `-f a=${stuck}`],
    [
      "in field names",
      { a: { type: "object", patternProperties: { [slow]: { type: "string" } } } },
      `-f a[${stuck}]=b`,
    ],
    ["in a choice of shapes", { a: { oneOf: [text(slow), { type: "number" }] } }, `-f a=${stuck}`],
    [
      "in each item of a long list",
      { a: { type: "array", items: text(slow) } },
      Array.from({ length: 50 }, () => `-f a[]=${stuck}`).join(" "),
    ],
  ])("is not checked %s, and gpuctl prints one note", async (_where, properties, fields) => {
    const start = performance.now();
    const { code, err, requests } = await called(properties, fields);
    expect({ code, last: requestLines(requests).at(-1) }, err).toEqual({ code: 0, last: sent });
    expect(err.split("\n").filter((line) => line.includes(slow))).toEqual([
      `Matching a value against ${slow} took too long, so the value was not checked.`,
    ]);
    expect(performance.now() - start).toBeLessThan(60_000);
  });

  test("is not checked in the query", async () => {
    const { code, err, requests } = await called({}, `-f q=${stuck}`, [
      { name: "q", in: "query", schema: text(slow) },
    ]);
    expect(code).toBe(0);
    expect(err).toContain(slow);
    expect(requestLines(requests).at(-1)).toContain(sent);
  });

  test("does not disable other checks", async () => {
    const properties = { a: text(slow), b: text("^x"), c: text("^y"), d: text("^[x-]$") };
    const { code, err, requests } = await called(properties, `-f a=${stuck} -f b=y -f c=y -f d=z`);
    expect(code).toBe(2);
    expect(err).toContain("b must match");
    expect(err).toContain("d must match");
    expect(err).not.toContain("c must match");
    expect(requestLines(requests)).not.toContain(sent);
  });

  test("does not block the call even in hundreds of fields", async () => {
    const names = Array.from({ length: 200 }, (_, at) => `f${at}`);
    const properties = Object.fromEntries(names.map((name, at) => [name, text(`^(a+)+$|${at}b`)]));
    const start = performance.now();
    const { code } = await called(properties, names.map((name) => `-f ${name}=${stuck}`).join(" "));
    expect(code).toBe(0);
    expect(performance.now() - start).toBeLessThan(60_000);
  });
});
