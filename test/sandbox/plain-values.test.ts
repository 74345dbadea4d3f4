import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { servedOperations } from "../../src/sandbox/assumed/index.ts";
import { maxBodyBytes } from "../../src/sandbox/http/exchange.ts";
import { createSandbox } from "../../src/sandbox/index.ts";

const { listVirtualMachineRentals, createVirtualMachineRental, createChatCompletion, getOpenApiDocument } =
  servedOperations;
const rentals = listVirtualMachineRentals.path;
const chat = { model: "echo", messages: [{ role: "user", content: "one two three" }] };

interface Case {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly fault?: object;
}

const cases: Readonly<Record<string, Case>> = {
  "a list": { path: rentals },
  "a query": { path: `${rentals}?includeClusterPools=tr%75e&other=a+b` },
  "a repeated field": { path: `${rentals}?includeClusterPools=true&includeClusterPools=false` },
  "an encoded path": { path: rentals.replace("-", "%2D") },
  HEAD: { method: "HEAD", path: rentals },
  "a preflight": {
    method: "OPTIONS",
    path: rentals,
    headers: { "Access-Control-Request-Headers": "a,  b" },
  },
  "an unknown path": { path: "/nowhere" },
  "an unknown method": { method: "DELETE", path: rentals },
  "no key": { path: rentals, headers: { Authorization: "" } },
  "a rental": { method: "POST", path: createVirtualMachineRental.path, body: '{"gpuCount":1}' },
  "no body": { method: "POST", path: createVirtualMachineRental.path },
  "a body that is too large": {
    method: "POST",
    path: createVirtualMachineRental.path,
    body: " ".repeat(maxBodyBytes + 1),
  },
  "a description that has not changed": { path: getOpenApiDocument.path, headers: { "If-None-Match": "*" } },
  "a chat": { method: "POST", path: createChatCompletion.path, body: JSON.stringify(chat) },
  "a stream": {
    method: "POST",
    path: createChatCompletion.path,
    body: JSON.stringify({ ...chat, stream: true }),
  },
  "a fault": { path: rentals, fault: { operation: "*", status: 503, retryAfterSeconds: 2 } },
  "a response that is cut": {
    method: "POST",
    path: createChatCompletion.path,
    body: JSON.stringify({ ...chat, stream: true }),
    fault: { operation: "*", cutStreamAfter: 2 },
  },
};

const url = (path: string) => `http://sandbox.localhost${path}`;

test.each(Object.entries(cases))("send returns the same response as fetch: %s", async (_, one) => {
  const open = async () => {
    const sandbox = await createSandbox({ file: ":memory:", now: () => Date.parse("2026-11-20T12:00:00Z") });
    onTestFinished(() => sandbox.close());
    if (one.fault) sandbox.faults.add(one.fault);
    return sandbox;
  };
  const [program, command] = [await open(), await open()];
  const { method = "GET", body } = one;
  const headers = { Authorization: `Bearer ${command.keys.full}`, ...one.headers };
  const init = { method, headers, ...(body !== undefined && { body }) };
  const fetched = await program.fetch(new Request(url(one.path), init));
  const sent = await command.send(url(one.path), init);
  expect(sent.status).toBe(fetched.status);
  expect(sent.headers).toEqual(Object.fromEntries(fetched.headers));
  expect(await text(sent.chunks())).toBe(await fetched.text());
  expect(command.requests.list({})).toEqual(program.requests.list({}));
});

test("a command can send methods that the constructor of Request refuses", async () => {
  const sandbox = await createSandbox({ file: ":memory:" });
  onTestFinished(() => sandbox.close());
  const { status } = await sandbox.send(url("/nowhere"), { method: "TRACE", headers: {} });
  expect(status).toBe(404);
  expect(sandbox.requests.list({})).toMatchObject([{ method: "TRACE", status: 404 }]);
});
