import { expect, test } from "vitest";
import { operations } from "../../src/contract/index.ts";
import { assumedOperations } from "../../src/sandbox/assumed/index.ts";
import { fc } from "../support/property.ts";
import { thorough } from "../support/thorough.ts";
import { openSandbox, origin } from "./harness.ts";

/** The number of requests in one run. */
const count = thorough ? 5_000 : 400;

const known = [...Object.values(operations), ...Object.values(assumedOperations)];
const segment = fc.oneof(
  fc.constantFrom(
    "",
    ".",
    "..",
    "%00",
    "%2e%2e",
    "%2F",
    "{id}",
    "_sandbox",
    "v2",
    "v1",
    "-1",
    "9".repeat(400),
  ),
  fc.string({ unit: "grapheme", maxLength: 12 }).map(encodeURIComponent),
);
const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...known.map((one) => one.path)) },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...known.map((one) => one.path)), segment)
      .map(([start, last]) => `${start.replace(/\{\w+\}/g, last)}/${last}`),
  },
);
const query = fc.array(
  fc.tuple(
    fc.constantFrom("rentalId", "limit", "cursor", "page", "from", "to", "__proto__", "a[b]", ""),
    fc.oneof(
      fc.constantFrom("", "-1", "1e999", "NaN", "null", "\0", "2026-13-45"),
      fc.string({ maxLength: 20 }),
    ),
  ),
  { maxLength: 4 },
);

/** Fields that operations take, so that many bodies are almost valid, and two names that are special in JavaScript. */
const fields = [
  [
    "gpuCount",
    "rentalId",
    "label",
    "sizeInGb",
    "region",
    "rentalIds",
    "termPeriodDays",
    "id",
    "name",
    "publicKey",
  ],
  [
    "model",
    "messages",
    "stream",
    "max_tokens",
    "prompt",
    "width",
    "height",
    "image",
    "text",
    "speed",
    "email",
  ],
  [
    "storageVolume",
    "expectedTotalPriceCents",
    "expectedReservedUntil",
    "customPorts",
    "__proto__",
    "constructor",
  ],
].flat();
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    0,
    -1,
    1,
    8,
    0.5,
    1e308,
    2 ** 53,
    "1",
    [],
    {},
    true,
    "h100",
    "2026-01-01T00:00:00Z",
  ),
  fc.constantFrom<unknown>([{ role: "user", content: "hello" }], "\0", "\ud800", "a".repeat(5_000), [[[[]]]]),
  fc.jsonValue({ maxDepth: 3 }),
);
const body = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .dictionary(fc.constantFrom(...fields), odd, { maxKeys: 6 })
      .map((one) => JSON.stringify(one)),
  },
  { weight: 1, arbitrary: fc.jsonValue().map((one) => JSON.stringify(one)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "{",
      "null",
      "[1,",
      `${"[".repeat(20_000)}`,
      '{"a":1,"a":2}',
      "\ufeff{}",
      "a=b",
    ),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
);
const header = fc.tuple(
  fc.constantFrom(
    "content-type",
    "accept",
    "if-none-match",
    "x-forwarded-for",
    "prefer",
    "range",
    "cookie",
    "expect",
  ),
  fc.oneof(
    fc.constantFrom(
      "application/json",
      "text/plain",
      "multipart/form-data",
      "application/json; charset=utf-16",
      "*",
      "",
      "\t",
    ),
    fc.stringMatching(/^[\x21-\x7e]{0,40}$/),
  ),
);
const authorization = fc.constantFrom(
  "full",
  "readOnly",
  "none",
  "Bearer",
  "Basic YTpi",
  "Bearer  x y",
  "bearer é",
);
const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "LOCK", "get");

const target = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...known.map((one) => ({ method: one.method as string, path: one.path as string })),
    ),
  },
  { weight: 1, arbitrary: fc.record({ method, path }) },
);

test(`${count} hostile requests cause no 5xx response and no hang`, async () => {
  let sandbox = await openSandbox();
  const { keys } = sandbox;
  const statuses = new Map<number, number>();
  const given: Readonly<Record<string, string>> = {
    full: `Bearer ${keys.full}`,
    readOnly: `Bearer ${keys.readOnly}`,
  };
  await fc.assert(
    fc.asyncProperty(
      fc.record({ target, query, body, authorization, headers: fc.array(header, { maxLength: 1 }) }),
      async (sent) => {
        const url = new URL(origin + sent.target.path);
        for (const [name, value] of sent.query) url.searchParams.append(name, value);
        const headers = new Headers({ "content-type": "application/json" });
        for (const [name, value] of sent.headers) headers.set(name, value);
        if (sent.authorization !== "none")
          headers.set("authorization", given[sent.authorization] ?? sent.authorization);
        const hasBody = !/^(?:get|head)$/i.test(sent.target.method);
        const response = await sandbox.fetch(
          new Request(url, { method: sent.target.method, headers, ...(hasBody && { body: sent.body }) }),
        );
        expect(response.status).toBeLessThan(500);
        await response.text();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        // With the full-access key, a 401 means that the user was deleted.
        if (sent.authorization === "full" && response.status === 401) sandbox = await openSandbox();
      },
    ),
    { numRuns: count, seed: 20_261_122 },
  );
  // Some requests reach the checks of the input, and some pass these checks.
  for (const status of [200, 400, 401, 403, 404])
    expect(statuses.get(status), `${status}`).toBeGreaterThan(count / 100);
});
