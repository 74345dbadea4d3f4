import { expect, test } from "vitest";
import { NetworkError, StreamTruncated, UnknownOutcome } from "../../src/library/client.ts";
import { clientOf, openSandbox } from "./harness.ts";

const places = [
  ["in the process", false],
  ["over HTTP", true],
] as const;

/** Opens a sandbox and a client that calls it in the process or over HTTP. */
async function openWith(serve: boolean) {
  const { sandbox, client } = await openSandbox({ serve }, { retries: 0 });
  const { url, keys } = sandbox;
  return { sandbox, client: serve ? clientOf(url, { apiKey: keys.full, retries: 0 }) : client };
}

test.each(places)("a fault affects the calls that it is defined for, %s", async (_name, serve) => {
  const { sandbox, client } = await openWith(serve);
  sandbox.fault({ operation: "listStorageVolumes", status: 503, after: 1, times: 1 });
  expect(await client.listStorageVolumes()).toEqual([]);
  await expect(client.listStorageVolumes()).rejects.toMatchObject({ name: "ServerError", status: 503 });
  expect(await client.listStorageVolumes()).toEqual([]);
});

test.each(places)("a write whose response is lost may have taken effect, %s", async (_name, serve) => {
  const { sandbox, client } = await openWith(serve);
  sandbox.fault({ operation: "createVirtualMachineRental", reset: true, applied: true });
  await expect(client.createVirtualMachineRental({ gpuCount: 1 })).rejects.toThrow(UnknownOutcome);
  expect(await client.listVirtualMachineRentals()).toHaveLength(1);
});

test.each(places)("a stream can be truncated, %s", async (_name, serve) => {
  const { sandbox, client } = await openWith(serve);
  sandbox.fault({ operation: "createChatCompletion", cutStreamAfter: 2 });
  const messages = [{ role: "user", content: "one two three" }];
  const chunks = client.stream("createChatCompletion", { model: "sandbox-echo", messages });
  await chunks.next();
  await chunks.next();
  await expect(chunks.next()).rejects.toThrow(StreamTruncated);
});

test.each(places)("a delayed read times out, %s", async (_name, serve) => {
  const { sandbox } = await openWith(serve);
  sandbox.fault({ operation: "*", delay: "1h" });
  const { url, keys, fetch } = sandbox;
  const impatient = clientOf(url, {
    apiKey: keys.full,
    timeout: 50,
    retries: 0,
    ...(serve ? {} : { fetch }),
  });
  await expect(impatient.listStorageVolumes()).rejects.toThrow(NetworkError);
});

test("a reset removes every fault", async () => {
  const { sandbox, client } = await openSandbox();
  sandbox.fault({ operation: "*", status: 500 });
  sandbox.reset();
  expect(await client.listStorageVolumes()).toEqual([]);
});

test("an invalid fault is rejected immediately", async () => {
  const { sandbox } = await openSandbox();
  expect(() => sandbox.fault({ operation: "*" })).toThrow("status");
});
