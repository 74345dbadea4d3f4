import { expect, test } from "vitest";
import type { FetchResponse } from "../../src/client/fetch.ts";
import { fc, runs } from "../support/property.ts";
import { caller, failure, key, read, write } from "./calling.ts";

/** A `fetch` that responds with this status and with these headers and bytes. */
const respondWith = (status: number, headers: Readonly<Record<string, string>>, bytes: Uint8Array) => {
  const response: FetchResponse = {
    status,
    headers: { get: (name) => headers[name] ?? null, entries: () => Object.entries(headers) },
    body: (async function* () {
      yield bytes;
    })(),
  };
  return async () => response;
};

const escaped = [...key].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const secret = fc.constantFrom(key, escaped, encodeURIComponent(key), Buffer.from(key).toString("base64"));
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.tuple(fc.string(), secret, fc.string()).map((parts) => Buffer.from(parts.join(""))),
  fc
    .tuple(fc.constantFrom("message", "error", "detail", "code", "issues", "x"), secret, fc.jsonValue())
    .map(([name, text, more]) =>
      Buffer.from(JSON.stringify({ code: "X", message: "m", [name]: text, more })),
    ),
  secret.map((text) => Buffer.from(`{"error":{"message":"${text}","param":"${text}"}}`)),
  secret.map((text) => Buffer.from(`{"code":"X","message":"${text}","issues":[]}`)),
  secret.map((text) => Buffer.from(`{"detail":[{"loc":["body","${text}"],"msg":"${text}"}]}`)),
);
const status = fc.oneof(
  fc.integer({ min: 300, max: 599 }),
  fc.constantFrom(308, 401, 408, 429, 499, 500, 501, 503),
);
const location = fc.option(
  fc.oneof(
    secret.map((text) => `https://other.example/${text}`),
    fc.string(),
  ),
);

test("any failed response becomes a service error or the unknown outcome of a write, and shows no key", async () => {
  await fc.assert(
    fc.asyncProperty(status, bytes, location, fc.boolean(), async (code, body, to, isWrite) => {
      const headers = { ...(to !== null && { location: to }) };
      const client = caller("https://api.example.com", {
        fetch: respondWith(code, headers, body),
        retries: 0,
      });
      const error = await failure(isWrite ? client.call(...write) : client.call(...read));
      const isRefusal = code >= 400 && code < 500 && code !== 408 && code !== 499;
      expect(error.name).toBe(!isWrite || isRefusal ? "ServiceError" : "UnknownOutcome");
      const shown = `${error.message} ${JSON.stringify(error)}`;
      expect(shown).not.toContain(key);
      expect(shown).not.toContain(JSON.stringify(escaped).slice(1, -1));
      expect(shown).not.toContain(Buffer.from(key).toString("base64"));
    }),
    runs(200),
  );
});

test("any successful response becomes a value, or an error that says whether the request may have taken effect", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(200, 201, 204), bytes, fc.boolean(), async (code, body, isWrite) => {
      const client = caller("https://api.example.com", { fetch: respondWith(code, {}, body), retries: 0 });
      const result: unknown = await (isWrite ? client.call(...write) : client.call(...read)).catch(
        (error) => error,
      );
      if (!(result instanceof Error)) return;
      expect(result.name).toBe(isWrite ? "UnknownOutcome" : "InvalidResponse");
      expect(`${result.message} ${JSON.stringify(result)}`).not.toContain(key);
    }),
    runs(200),
  );
});
