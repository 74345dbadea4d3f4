import { expect, test } from "vitest";
import { type AssumedId, assumedOperations, servedOperations } from "../../src/sandbox/assumed/index.ts";
import { errorBody, everyOperation, openSandbox } from "./harness.ts";

const parts = {
  status: { status: 503 },
  retryAfter: { retryAfterSeconds: 7 },
  delay: { delayMs: 0 },
  reset: { reset: true },
  cut: { cutStreamAfter: 1 },
  garbage: { garbage: true },
  applied: { applied: true },
} as const;

type Part = keyof typeof parts;

const names = Object.keys(parts) as Part[];
/** Every subset of the effects. */
const combinations = Array.from({ length: 2 ** names.length }, (_, choice) =>
  names.filter((_name, at) => choice & (1 << at)),
);

/** The field that the error for an invalid combination names. Undefined if the combination is valid. */
function invalidField(has: (part: Part) => boolean): string | undefined {
  const hasResponse = has("status") || has("garbage");
  if (!hasResponse && !has("reset") && !has("delay") && !has("cut")) return "status";
  if (has("reset") && hasResponse) return "reset";
  if (has("cut") && hasResponse) return "cutStreamAfter";
  return has("retryAfter") && !has("status") ? "retryAfterSeconds" : undefined;
}

const vm = { gpuCount: 1, label: "x".repeat(5000) };

test.each(combinations.map((some) => ({ name: some.join(", ") || "nothing", some })))(
  "a fault with $name works, or is rejected if these effects cannot be combined",
  async ({ some }) => {
    const sandbox = await openSandbox();
    const has = (part: Part): boolean => some.includes(part);
    const effect = Object.assign({}, ...some.map((part) => parts[part]));
    const add = () => sandbox.faults.add({ operation: "createVirtualMachineRental", ...effect });
    const invalid = invalidField(has);
    if (invalid !== undefined) {
      expect(add).toThrow(expect.objectContaining({ name: "ControlRefused" }));
      expect(add).toThrow(invalid);
      expect(sandbox.faults.list()).toEqual([]);
      return;
    }
    add();
    const broken = has("reset") && !has("cut");
    const response = await sandbox.call("createVirtualMachineRental", vm).catch((error: unknown) => error);
    const happens = has("applied") || !(has("status") || has("garbage") || broken);
    expect(sandbox.status()).toMatchObject({ rentals: { active: happens ? 1 : 0 }, faults: 0 });
    expect(sandbox.requests.list({ limit: 1 })).toMatchObject([
      { fault: 1, status: broken ? null : has("status") ? 503 : 200 },
    ]);
    if (!(response instanceof Response))
      return expect([broken, response]).toMatchObject([true, { code: "ECONNRESET" }]);
    expect(response.headers.get("gpuctl-sandbox-fault")).toBe("1");
    expect(response.headers.get("x-gpuctl-sandbox")).toBe("1");
    expect(response.status).toBe(has("status") ? 503 : 200);
    expect(response.headers.get("retry-after")).toBe(has("retryAfter") ? "7" : null);
    const text = await response.text().catch((error: unknown) => String(error));
    if (has("cut")) expect(text).toMatch(has("reset") ? /reset the connection/ : /^\{"id":1001.{1014}$/s);
    else if (has("garbage")) expect(() => JSON.parse(text)).toThrow(SyntaxError);
    else if (has("status"))
      expect(JSON.parse(text)).toMatchObject({ code: "SERVICE_UNAVAILABLE", issues: [] });
    else expect(JSON.parse(text)).toMatchObject({ id: 1001 });
  },
);

const assumed = Object.keys(assumedOperations) as AssumedId[];

test.each([...everyOperation, ...assumed])(
  "a fault makes %s return an error in the service's format",
  async (operation) => {
    const sandbox = await openSandbox();
    const send = async (key: string | null) => {
      const isAssumed = assumed.find((id) => id === operation);
      if (isAssumed) return sandbox.assumed(isAssumed, { id: 1 }, key);
      const response = await sandbox.call(
        everyOperation.find((id) => id === operation) ?? "getRental",
        {},
        key,
      );
      expect(response.headers.get("gpuctl-sandbox-fault")).not.toBeNull();
      return { status: response.status, body: await response.json() };
    };
    sandbox.faults.add({ operation, status: 500 });
    sandbox.faults.add({ operation, status: 429 });
    expect(await send(null)).toEqual({
      status: 500,
      body: errorBody(
        servedOperations[operation].path,
        "server_error",
        "INTERNAL_SERVER_ERROR",
        "Internal server error",
      ),
    });
    expect(await send(null)).toMatchObject({
      status: 429,
      body: { code: "TOO_MANY_REQUESTS", issues: [] },
    });
  },
);

test("a response that replaces the description has no ETag, and a fault can break the description off in the middle", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "getOpenApiDocument", status: 503 });
  sandbox.faults.add({ operation: "getOpenApiDocument", garbage: true });
  sandbox.faults.add({ operation: "getOpenApiDocument", cutStreamAfter: 1, reset: true });
  for (const status of [503, 200]) {
    const response = await sandbox.call("getOpenApiDocument");
    expect([response.status, response.headers.get("etag")]).toEqual([status, null]);
  }
  const broken = await sandbox.call("getOpenApiDocument");
  expect(broken.status).toBe(200);
  await expect(broken.text()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await sandbox.call("getOpenApiDocument")).headers.get("etag")).not.toBeNull();
});

test("a fault with a status or with garbage replaces a stream before the stream begins", async () => {
  const sandbox = await openSandbox();
  const chat = { model: "sandbox-echo", messages: [{ role: "user", content: "one two" }], stream: true };
  sandbox.faults.add({ operation: "createChatCompletion", status: 500 });
  sandbox.faults.add({ operation: "createChatCompletion", garbage: true });
  const failed = await sandbox.call("createChatCompletion", chat);
  expect([failed.status, failed.headers.get("content-type")]).toEqual([500, "application/json"]);
  await expect((await sandbox.call("createChatCompletion", chat)).json()).rejects.toThrow(SyntaxError);
  expect(await (await sandbox.call("createChatCompletion", chat)).text()).toContain("[DONE]");
});

test("the same faults affect the same calls in the same way", async () => {
  const seen = async () => {
    const sandbox = await openSandbox();
    sandbox.faults.add({ operation: "*", status: 500, after: 1, times: 2 });
    sandbox.faults.add({ operation: "listStorageVolumes", status: 429, times: 3 });
    const responses = [];
    for (let call = 0; call < 8; call += 1) {
      const response = await sandbox.call(call % 2 ? "getActiveRentalSummary" : "listStorageVolumes");
      responses.push([response.status, await response.text(), Object.fromEntries(response.headers)]);
    }
    return responses;
  };
  const first = await seen();
  expect(first.map(([status]) => status)).toEqual([429, 500, 500, 200, 429, 200, 429, 200]);
  expect(await seen()).toEqual(first);
});
