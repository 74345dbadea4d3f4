import { describe, expect, test } from "vitest";
import type { Listed } from "../../src/client/list.ts";
import { caller, failure } from "./calling.ts";
import { json, listen } from "./server.ts";

const history = ["listRentalHistory", {}] as const;

async function all(listed: Listed): Promise<unknown> {
  if (!("records" in listed)) return listed;
  const records: unknown[] = [];
  for await (const batch of listed.records) records.push(...batch);
  return records;
}

/** The records of a list that fails, and the error. */
async function recordsAndError(listed: Listed) {
  const records: unknown[] = [];
  const error = await failure(
    (async () => {
      if (!("records" in listed)) return;
      for await (const batch of listed.records) records.push(...batch);
    })(),
  );
  return { records, error };
}

describe("a list", () => {
  test("that is an array is streamed record by record, however the network splits it", async () => {
    const records = [{ id: 1, label: "日本語 🚀" }, [1, [2]], null, "x\\", 1.5e3, { a: { b: [] } }];
    const bytes = Buffer.from(` \n${JSON.stringify(records)} \n`);
    const server = await listen((_request, response) => {
      response.writeHead(200);
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await all(await caller(server.origin).list(...history))).toEqual(records);
  });

  test("that is an object with a list in it is returned as a whole", async () => {
    const body = { items: [{ id: 1 }], next: "x" };
    const server = await listen((_request, response) => json(response, body));
    expect(await caller(server.origin).list(...history)).toEqual({ data: body });
  });

  test.each([[null], ["text"], [7], [{}]])("that is %j is invalid", async (body) => {
    const server = await listen((_request, response) => json(response, body));
    expect(await failure(caller(server.origin).list(...history))).toMatchObject({ name: "InvalidResponse" });
  });

  test("is retried until its first record arrives", async () => {
    const server = await listen((_request, response, index) => {
      if (index === 0) return json(response, {}, 503);
      response.writeHead(200);
      response.write("[");
      if (index === 1) return setImmediate(() => response.destroy());
      response.end('{"id":1}]');
    });
    const { list, slept, exchanges } = caller(server.origin);
    expect(await all(await list(...history))).toEqual([{ id: 1 }]);
    expect(slept).toHaveLength(2);
    expect(exchanges.map(({ status }) => status)).toEqual([503, 200, 200]);
  });

  test("whose connection breaks after a record is not retried, but reported as a network error", async () => {
    const server = await listen((_request, response) => {
      response.writeHead(200);
      response.write('[{"id":1},', () => setImmediate(() => response.destroy()));
    });
    const { records, error } = await recordsAndError(await caller(server.origin).list(...history));
    expect(records).toEqual([{ id: 1 }]);
    expect(error).toMatchObject({ name: "NetworkError" });
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    ["[1,2", [1], /ended in the middle of the list/],
    ["[1,2,]", [1, 2], /not valid JSON/],
    ["[1,2] x", [1, 2], /not valid JSON at byte 6/],
  ])("that contains %s fails after the complete records", async (body, before, message) => {
    const server = await listen((_request, response) => response.end(body));
    const { records, error } = await recordsAndError(await caller(server.origin).list(...history));
    expect(records).toEqual(before);
    expect(error).toMatchObject({ name: "InvalidResponse", message: expect.stringMatching(message) });
  });

  test("that is invalid from the start is reported immediately", async () => {
    const server = await listen((_request, response) => response.end("[oops"));
    expect(await failure(caller(server.origin).list(...history))).toMatchObject({ name: "InvalidResponse" });
    const empty = await listen((_request, response) => response.end());
    expect(await failure(caller(empty.origin).list(...history))).toMatchObject({ name: "InvalidResponse" });
  });

  test("that stalls after a record times out", async () => {
    const server = await listen((_request, response) => {
      response.writeHead(200);
      response.write('[{"id":1},');
    });
    const { records, error } = await recordsAndError(
      await caller(server.origin, { timeout: 500 }).list(...history),
    );
    expect(records).toEqual([{ id: 1 }]);
    expect(error).toMatchObject({ name: "NetworkError", code: "ETIMEDOUT" });
  });

  test("does not time out while the caller pauses reading", async () => {
    let finish = () => {};
    const server = await listen((_request, response) => {
      response.writeHead(200);
      response.write('[{"id":1},');
      finish = () => response.end('{"id":2}]');
    });
    const listed = await caller(server.origin, { timeout: 500 }).list(...history);
    if (!("records" in listed)) throw new Error("the list is not streamed");
    const records: unknown[] = [];
    for await (const batch of listed.records) {
      records.push(...batch);
      await new Promise((resolve) => setTimeout(resolve, 600));
      finish();
    }
    expect(records).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
