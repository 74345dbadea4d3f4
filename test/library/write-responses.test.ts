import { describe, expect, test } from "vitest";
import { responseLimits } from "../../src/contract/plain/response-limits.ts";
import type { Client, GivenFetch } from "../../src/library/client.ts";
import { description, descriptionPath } from "../support/described.ts";
import { clientOf, key } from "./harness.ts";

const rental = { id: "1001", rentalType: "virtual-machine", state: "active", status: "Running" };
const documentation = description({
  "DELETE /v2/on-demand/rentals/{id}": { parameters: [{ name: "id", in: "path", required: true }] },
  "GET /v2/balances": {},
  "GET /v2/billing/usage": {},
  "POST /v2/api-keys": {},
  "DELETE /v2/api-keys/{id}": { parameters: [{ name: "id", in: "path", required: true }] },
  "POST /v2/ssh-keys": {},
  "POST /v2/ssh-keys/delete": {},
  "POST /v2/things": {
    responses: { "200": { content: { "application/json": { schema: { type: "object" } } } } },
  },
});

/** A client for a service that returns its description and a rental, and `reply` for all other requests. */
function clientOfService(reply: () => Response): Client {
  const own: Readonly<Record<string, object>> = {
    [descriptionPath]: documentation,
    "/v2/on-demand/rental": rental,
  };
  const fetch: GivenFetch = async (url, init) => {
    const found = init?.method === "GET" ? own[new URL(url).pathname] : undefined;
    return found ? Response.json(found) : reply();
  };
  return clientOf("https://api.example.com", { fetch, retries: 0 });
}

const typed = (type: string, body: string) => () => new Response(body, { headers: { "Content-Type": type } });
const json = (body: string) => typed("application/json", body);
const errorBody = JSON.stringify({ code: "CONFLICT", message: "Busy", issues: [] });

const removals: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  terminateRental: (client) => client.terminateRental({ rentalId: "1001" }),
  revokeApiKey: (client) => client.revokeApiKey({ id: 7 }),
  deleteSshKey: (client) => client.deleteSshKey({ id: 7 }),
};
const creates: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  createApiKey: (client) => client.createApiKey({ name: "ci" }),
  createSshKey: (client) => client.createSshKey({ name: "laptop", publicKey: "ssh-ed25519 AAAA" }),
};

describe.each(Object.entries({ ...removals, ...creates }))("%s", (_name, send) => {
  test.each([
    ["a page of a gateway", typed("text/html", "<html>Maintenance</html>"), "the response is not JSON"],
    ["text", typed("text/plain", "OK"), "the response is not JSON"],
    ["bytes", typed("application/octet-stream", "\u0001"), "the response is not JSON"],
    ["an error labeled as text", typed("text/plain", errorBody), "the service reported CONFLICT: Busy"],
    ["an error", json(errorBody), "the service reported CONFLICT: Busy"],
    ["false", json("false"), "the response is not an object"],
    ["a string", json('"x"'), "the response is not an object"],
    ["a list", json("[]"), "the response is not an object"],
    ["null", json("null"), "the response is not an object"],
  ])("has an unknown outcome if the response is %s", async (_what, reply, message) => {
    await expect(send(clientOfService(reply))).rejects.toMatchObject({
      name: "UnknownOutcome",
      status: 200,
      message,
    });
  });

  test("fails if the response is success: false, also if it is labeled as text", async () => {
    for (const type of ["application/json", "text/plain"]) {
      await expect(send(clientOfService(typed(type, '{"success":false}')))).rejects.toMatchObject({
        name: expect.stringMatching(/^(UnknownOutcome|ServiceError)$/),
        message: "the service reported a failure (success: false)",
      });
    }
  });

  test("returns an object, whatever its media type", async () => {
    for (const type of ["application/json", "text/plain", "application/octet-stream"]) {
      const reply = typed(type, '{"id":7,"apiKey":"sk-new"}');
      expect(await send(clientOfService(reply))).toEqual({ id: 7, apiKey: "sk-new" });
    }
  });
});

test.each(Object.entries(removals))("%s succeeds if the response is empty", async (name, remove) => {
  const empty = [() => new Response(null, { status: 204 }), typed("text/plain", "\n"), json("")];
  const expected = { terminateRental: { rentalId: "1001" } }[name] ?? { success: true };
  for (const reply of empty) expect(await remove(clientOfService(reply))).toEqual(expected);
});

test.each(Object.entries(creates))(
  "%s has an unknown outcome if the response is empty",
  async (_name, send) => {
    await expect(send(clientOfService(json("")))).rejects.toMatchObject({ name: "UnknownOutcome" });
  },
);

test.each([
  ["a page of a gateway", typed("text/html", "<html>Maintenance</html>"), "the response is not JSON"],
  ["an error labeled as text", typed("text/plain", errorBody), "the service reported CONFLICT: Busy"],
  ["a list", json("[]"), "the response is not an object"],
])("getBalance rejects %s", async (_what, reply, message) => {
  const balance = clientOfService(reply).getBalance();
  await expect(balance).rejects.toMatchObject({ name: "InvalidResponse", message });
});

test.each([
  ["listUsage", (client: Client) => client.listUsage()],
  ["listStorageVolumes", (client: Client) => client.listStorageVolumes()],
])("%s rejects an error instead of returning its issues as records", async (_name, list) => {
  await expect(list(clientOfService(json(errorBody)))).rejects.toMatchObject({
    name: "InvalidResponse",
    message: "the service reported CONFLICT: Busy",
  });
});

test.each([
  ["listUsage", (client: Client) => client.listUsage()],
  ["iterate", (client: Client) => client.iterate("GET /v2/billing/usage").next()],
])("%s rejects a response that is not a list", async (_name, list) => {
  const message = "the response is not a list";
  for (const reply of [json("null"), json("{}"), json('{"message":"maintenance"}')]) {
    await expect(list(clientOfService(reply))).rejects.toMatchObject({ name: "InvalidResponse", message });
  }
});

test.each([
  ["a page of a gateway", typed("text/html", "<html>Maintenance</html>")],
  ["an empty response", json("")],
])("iterate rejects %s", async (_what, reply) => {
  const first = clientOfService(reply).iterate("GET /v2/billing/usage").next();
  await expect(first).rejects.toMatchObject({ name: "InvalidResponse" });
});

test("terminateRental sends the ID that was given, even if another ID comes first in the record", async () => {
  const sent: string[] = [];
  const record = { ...rental, id: 77, rentalId: 1001 };
  const client = clientOf("https://api.example.com", {
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      if (init?.method !== "GET") sent.push(pathname);
      if (pathname === descriptionPath) return Response.json(documentation);
      return Response.json(pathname === "/v2/on-demand/rental" ? record : {});
    },
    retries: 0,
  });
  await client.terminateRental({ rentalId: "1001" });
  expect(sent).toEqual(["/v2/on-demand/rentals/1001"]);
});

describe.each<[string, (client: Client) => Promise<unknown>]>([
  ["createChatCompletion", (client) => client.createChatCompletion({ model: "m", messages: [] })],
  ["generateImage", (client) => client.generateImage({ model_name: "SD2", prompt: "a cat" })],
  ["generateAudio", (client) => client.generateAudio({ text: "hi" })],
])("%s", (_name, send) => {
  test.each([
    ["a page of a gateway", typed("text/html", "<html>Maintenance</html>"), "the response is not JSON: "],
    ["an error", json(errorBody), "the service reported CONFLICT: Busy"],
    ["false", json("false"), "the response is not an object"],
    ["null", json("null"), "the response is not an object"],
    ["a list", json("[]"), "the response is not an object"],
  ])("has an unknown outcome if the response is %s", async (_what, reply, message) => {
    await expect(send(clientOfService(reply))).rejects.toMatchObject({
      name: "UnknownOutcome",
      message: expect.stringContaining(message),
    });
  });
});

test("a write has an unknown outcome if a custom fetch followed a redirect", async () => {
  const followed = Object.defineProperty(Response.json({ id: 7, apiKey: "sk-other" }), "redirected", {
    value: true,
  });
  await expect(clientOfService(() => followed).createApiKey({ name: "ci" })).rejects.toMatchObject({
    name: "UnknownOutcome",
    message: expect.stringContaining("followed a redirect"),
  });
});

test("a response with too many values is rejected before it is parsed", async () => {
  const client = clientOfService(json(`[0${",0".repeat(responseLimits.values)}]`));
  for (const read of [client.listUsage(), client.call("GET /v2/balances")]) {
    await expect(read).rejects.toMatchObject({ name: "ResponseTooLarge" });
  }
  await expect(client.call("POST /v2/api-keys", {})).rejects.toMatchObject({
    name: "UnknownOutcome",
    message: `the response has more than ${responseLimits.values} values`,
    received: { complete: true, bytes: expect.objectContaining({ length: 2 * responseLimits.values + 3 }) },
  });
});

test.each([
  ["POST /v2/things", typed("text/html", "<html>Maintenance</html>"), "the response is not JSON"],
  ["POST /v2/things", typed("text/plain", errorBody), "the service reported CONFLICT: Busy"],
  ["POST /v2/unlisted", typed("text/plain", errorBody), "the service reported CONFLICT: Busy"],
])("call of %s has an unknown outcome after a failure with status 200", async (name, reply, message) => {
  const call = clientOfService(reply).call(name, {});
  await expect(call).rejects.toMatchObject({ name: "UnknownOutcome", message });
});

describe.each<[string, (client: Client) => Promise<unknown>]>([
  ["getBalance", (client) => client.getBalance()],
  ["getActiveRentalSummary", (client) => client.getActiveRentalSummary()],
  ["iterate", (client) => client.iterate("listUsage").next()],
  ["call with a read", (client) => client.call("GET /v2/balances")],
  ["call with a write", (client) => client.call("POST /v2/things", {})],
  ["createApiKey", (client) => client.createApiKey({ name: "ci" })],
  ["createVirtualMachineRental", (client) => client.createVirtualMachineRental({ gpuCount: 1 })],
  [
    "createChatCompletion",
    (client) => client.createChatCompletion({ model: "m", messages: [{ role: "user", content: "Hi" }] }),
  ],
  ["generateImage", (client) => client.generateImage({ prompt: "cat", model_name: "SD2" })],
  ["generateAudio", (client) => client.generateAudio({ text: "Hi" })],
])("%s", (_name, run) => {
  test.each([
    { error: `bad key ${key}` },
    { error: { message: `bad key ${key}`, type: "server_error" } },
    { code: "X", message: `bad key ${key}`, issues: [] },
  ])("rejects the error %j with status 200, and masks the key in its message", async (body) => {
    const error: unknown = await run(clientOfService(json(JSON.stringify(body)))).catch(
      (one: unknown) => one,
    );
    expect(error).toMatchObject({
      name: expect.stringMatching(/^(UnknownOutcome|InvalidResponse)$/),
      message: expect.stringMatching(/bad key \*{4}$/),
    });
  });
});
