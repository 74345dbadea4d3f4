import { describe, expect, test } from "vitest";
import { caller, failure, read, write } from "./calling.ts";
import { json, listen } from "./server.ts";

const flaky = (status: number, headers = {}) =>
  listen((_request, response, index) =>
    index < 2 ? json(response, { code: "X", message: "busy" }, status, headers) : json(response, ["ok"]),
  );

describe("a read that fails", () => {
  test.each([500, 502, 503, 504, 429, 408])("is retried after a %i", async (status) => {
    const server = await flaky(status);
    const { call, slept } = caller(server.origin);
    expect(await call(...read)).toEqual(["ok"]);
    expect(server.seen).toHaveLength(3);
    expect(slept).toEqual([250, 500]);
  });

  test.each([400, 401, 403, 404, 409, 410, 422])("is not retried after a %i", async (status) => {
    const server = await flaky(status);
    expect(await failure(caller(server.origin).call(...read))).toMatchObject({
      name: "ServiceError",
      status,
    });
    expect(server.seen).toHaveLength(1);
  });

  test("is reported as an error when the retries are used up", async () => {
    const server = await listen((_request, response) => json(response, { error: "down" }, 503));
    const { call, slept } = caller(server.origin, { retries: 2 });
    expect(await failure(call(...read))).toMatchObject({
      name: "ServiceError",
      status: 503,
      message: "down",
      request: { method: "GET", url: `${server.origin}/v2/on-demand/storage-volumes` },
    });
    expect(server.seen).toHaveLength(3);
    expect(slept).toHaveLength(2);
  });

  test("is sent only once if retries are turned off", async () => {
    const server = await flaky(503);
    await failure(caller(server.origin, { retries: 0 }).call(...read));
    expect(server.seen).toHaveLength(1);
  });

  test("backs off exponentially with jitter, up to a limit", async () => {
    const server = await listen((_request, response) => json(response, {}, 500));
    const longest = caller(server.origin, { retries: 8, random: () => 1 });
    await failure(longest.call(...read));
    expect(longest.slept).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
    const shortest = caller(server.origin, { retries: 3, random: () => 0 });
    await failure(shortest.call(...read));
    expect(shortest.slept).toEqual([125, 250, 500]);
  });
});

describe("Retry-After", () => {
  test.each([
    ["seconds", "7", 7_000],
    ["a fraction of a second", "0.5", 500],
    ["zero", "0", 0],
    ["a date", "Fri, 20 Nov 2026 12:00:30 GMT", 30_000],
    ["a past date", "Fri, 20 Nov 2026 11:00:00 GMT", 0],
    ["an invalid text", "soon", 250],
    ["a negative number", "-5", 250],
  ])("sets the delay, unless it is invalid: %s", async (_name, header, pause) => {
    const server = await flaky(429, { "Retry-After": header });
    const { call, slept } = caller(server.origin);
    await call(...read);
    expect(slept[0]).toBe(pause);
  });

  test.each(["61", "Fri, 20 Nov 2026 12:05:00 GMT"])("of %s is too long to wait for", async (header) => {
    const server = await flaky(429, { "Retry-After": header });
    const { call, slept } = caller(server.origin);
    expect(await failure(call(...read))).toMatchObject({ name: "ServiceError", status: 429 });
    expect(server.seen).toHaveLength(1);
    expect(slept).toEqual([]);
  });
});

describe("a write that fails", () => {
  test.each([
    [400, "ServiceError"],
    [403, "ServiceError"],
    [429, "ServiceError"],
    [500, "UnknownOutcome"],
    [503, "UnknownOutcome"],
  ])("with %i is never sent twice", async (status, name) => {
    const server = await flaky(status, { "Retry-After": "0" });
    const { call, slept } = caller(server.origin);
    expect(await failure(call(...write))).toMatchObject({ name, status });
    expect(server.seen).toHaveLength(1);
    expect(slept).toEqual([]);
  });

  const writes: Record<string, (client: ReturnType<typeof caller>) => Promise<unknown>> = {
    convertToReserved: ({ call }) =>
      call("convertToReserved", { rentalId: 1, termPeriodDays: 30, expectedTotalPriceCents: 1 }),
    updateCurrentUser: ({ call }) => call("updateCurrentUser", { name: "x" }),
    deleteCurrentUser: ({ call }) => call("deleteCurrentUser", {}),
    generateImage: ({ call }) => call("generateImage", { model_name: "SD2", prompt: "x" }),
    generateAudio: ({ call }) => call("generateAudio", { text: "x" }),
    createChatCompletion: ({ call }) => call("createChatCompletion", { model: "x", messages: [] }),
  };

  test.each(Object.keys(writes))("is never sent twice: %s", async (id) => {
    const server = await flaky(503);
    const sending = writes[id]?.(caller(server.origin));
    expect(await failure(Promise.resolve(sending))).toMatchObject({ name: "UnknownOutcome" });
    expect(server.seen).toHaveLength(1);
  });
});
