import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type OperationId, operations } from "../../src/contract/index.ts";
import { createClient, InvalidInput, NoCredential, ServiceError } from "../../src/library/client.ts";
import { version } from "../../src/library/generated/version.ts";
import { replacementOperations } from "../../src/sandbox/assumed/replacements.ts";
import { json, listen } from "../client/server.ts";
import { validInput } from "../support/valid-inputs.ts";
import { clientOf, key, openSandbox } from "./harness.ts";

const everyOperation = Object.keys(operations) as OperationId[];

test("a client has a method for each operation of the contract, and the methods that the documentation names", async () => {
  const { sandbox, client } = await openSandbox();
  const described = await (await sandbox.fetch("/v2/openapi.json")).text();
  const ids = [...described.matchAll(/"operationId":"(\w+)"/g)].map(([, id = ""]) => id);
  const page = await readFile("docs/library.md", "utf8");
  const table = /^\| Method \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page)?.[1] ?? "";
  const documented = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)\(/g)]);
  const names = [...everyOperation, ...documented.map(([, name = ""]) => name)];
  expect(Object.keys(client).sort()).toEqual(names.sort());
  // These operations have no method of their own: `terminateRental` terminates rentals of both types, and the method of
  // a deprecated operation uses its replacement if the service lists one.
  const others = ids.filter((id) => !names.includes(id) && !/^terminate\w+Rental$/.test(id));
  expect(others).toEqual(Object.keys(replacementOperations));
});

test("each method sends its operation with the given input and nothing else", async () => {
  const server = await listen(({ method, path }, response) =>
    json(response, method === "GET" && /rentals$|history$|volumes$/.test(path.replace(/\?.*/, "")) ? [] : {}),
  );
  const client = clientOf(server.origin);
  for (const id of everyOperation) {
    const input = validInput(id);
    await (client[id] as (input: object) => Promise<unknown>)(input);
    const { method, path, in: place } = operations[id];
    const query = place === "query" && Object.keys(input).length > 0 ? `?${queryOf(input)}` : "";
    expect(server.seen.at(-1)).toMatchObject({
      method,
      path: path + query,
      body: place === "body" ? JSON.stringify(input) : "",
    });
  }
});

const queryOf = (input: Record<string, unknown>): string =>
  Object.entries(input)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

test("a client creates, gets and lists rentals in the sandbox", async () => {
  const { client } = await openSandbox();
  const rental = await client.createVirtualMachineRental({ gpuCount: 2, gpuType: "h200", label: "trainer" });
  expect(rental).toMatchObject({ gpuCount: 2, label: "trainer", status: "Pending" });
  expect(await client.listVirtualMachineRentals()).toEqual([rental]);
  expect(await client.getRental({ rentalId: String(rental.id) })).toMatchObject({ state: "active" });
  expect(await client.getRental({ rentalId: "none" })).toBeNull();
});

test("requests have the key and a User-Agent", async () => {
  const server = await listen((_request, response) => json(response, []));
  await clientOf(server.origin).listStorageVolumes();
  await clientOf(server.origin, { userAgent: "trainer/1" }).listStorageVolumes();
  expect(server.seen.map(({ headers }) => [headers.authorization, headers["user-agent"]])).toEqual([
    [`Bearer ${key}`, `gpuctl/${version}`],
    [`Bearer ${key}`, "trainer/1"],
  ]);
});

test("inference uses its own host when one is set", async () => {
  const inference = await listen((_request, response) => json(response, { choices: [] }));
  const client = clientOf("http://127.0.0.1:1", { inferenceBaseUrl: inference.origin });
  await client.createChatCompletion({ model: "m", messages: [] });
  expect(inference.seen).toHaveLength(1);
});

describe("an input that breaks the contract", () => {
  test("is reported with the path of each error, and nothing is sent", async () => {
    const server = await listen((_request, response) => json(response, {}));
    const client = clientOf(server.origin);
    const wrong = client.createStorageVolume({ region: "us-central-1", label: "a b", sizeInGb: 300 });
    await expect(wrong).rejects.toThrow(InvalidInput);
    await expect(wrong).rejects.toMatchObject({
      name: "InvalidInput",
      message:
        "createStorageVolume: label must have at least 4 characters; label must match /^[a-zA-Z0-9_-]+$/; sizeInGb must be a multiple of 256",
      issues: [{ path: ["label"] }, { path: ["label"] }, { path: ["sizeInGb"] }],
    });
    expect(server.seen).toEqual([]);
  });

  test("is sent to the service when validation is off", async () => {
    const { client } = await openSandbox({}, { validate: false });
    await expect(client.requestReservation({ gpuCount: 0 })).rejects.toMatchObject({
      name: "BadRequest",
      status: 400,
      issues: [{ path: ["gpuCount"], message: "must be at least 1" }],
    });
  });

  test("is also rejected when it breaks a rule about several fields", async () => {
    const client = clientOf("https://api.example.com");
    await expect(
      client.generateImage({ model_name: "SD2", prompt: "a lighthouse", width: 1000 }),
    ).rejects.toThrow("1000x1024 is not a supported resolution");
  });
});

describe("an error from the service", () => {
  test("is a ServiceError with its code, its status and the request, without the key", async () => {
    const { sandbox, client } = await openSandbox({}, { apiKey: "sk-unknown" });
    const rejected = client.listStorageVolumes();
    await expect(rejected).rejects.toThrow(ServiceError);
    await expect(rejected).rejects.toMatchObject({
      code: "UNAUTHORIZED",
      status: 401,
      request: { method: "GET", url: `${sandbox.url}/v2/on-demand/storage-volumes` },
    });
    expect(JSON.stringify(await rejected.catch((error) => error))).not.toContain("sk-unknown");
  });

  test("is thrown for a write with a read-only key", async () => {
    const { sandbox } = await openSandbox();
    const { url, keys, fetch } = sandbox;
    const reader = createClient({ baseUrl: url, apiKey: keys.readOnly, fetch });
    expect(await reader.listStorageVolumes()).toEqual([]);
    await expect(reader.requestReservation({ gpuCount: 8 })).rejects.toMatchObject({ status: 403 });
  });
});

test("without a key, only requests that need no key are sent", async () => {
  const server = await listen((_request, response) => json(response, {}));
  const client = clientOf(server.origin, { apiKey: "" });
  await expect(client.listStorageVolumes()).rejects.toThrow(NoCredential);
  await client.getOpenApiDocument();
  expect(server.seen.map(({ path }) => path)).toEqual(["/v2/openapi.json"]);
});

test("a key is not sent over plain http to another machine by default", async () => {
  const client = clientOf("http://api.example.com");
  await expect(client.listStorageVolumes()).rejects.toMatchObject({ name: "InsecureUrl" });
});

test.each([
  [{ baseUrl: "api.example.com" }, 'baseUrl must be a URL such as https://api.example.com, not "api.ex'],
  [{ inferenceBaseUrl: "ftp://x" }, 'inferenceBaseUrl must be a URL such as https://api.example.com, not "f'],
  [{ timeout: 0 }, "timeout must be a number of milliseconds from 1 to 2147483647, not 0"],
  [{ timeout: 2 ** 31 }, "timeout must be a number of milliseconds"],
  [{ retries: 1.5 }, "retries must be a whole number of at least 0, not 1.5"],
])("an invalid option is rejected immediately: %o", (wrong, message) => {
  const options = { baseUrl: "https://api.example.com", apiKey: key, ...wrong };
  expect(() => createClient(options)).toThrow(TypeError);
  expect(() => createClient(options)).toThrow(message);
});
