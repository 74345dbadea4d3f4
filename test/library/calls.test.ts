import { describe, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import {
  BadRequest,
  type CallPromise,
  type Client,
  Conflict,
  Forbidden,
  InvalidInput,
  NotFound,
  NotOffered,
  RateLimited,
  RentalGone,
  ServerError,
  ServiceError,
  Unauthorized,
  WaitedTooLong,
} from "../../src/library/client.ts";
import { json, listen } from "../client/server.ts";
import { description, descriptionPath } from "../support/described.ts";
import { clientOf, key, openSandbox } from "./harness.ts";

const untyped = (client: Client) =>
  client as unknown as Record<string, (...args: unknown[]) => CallPromise<unknown>>;

describe("operations that the documentation does not describe", () => {
  test("let a program rent, wait, end its rental and read what the rental cost", async () => {
    const { sandbox, client } = await openSandbox();
    const { id = "" } = await client.createVirtualMachineRental({ gpuCount: 1, label: "trainer" });
    const rentalId = id ?? "";
    sandbox.advance("5m");
    expect(await client.waitFor({ rentalId })).toMatchObject({ id, status: "Running" });
    expect(await client.terminateRental({ rentalId })).toMatchObject({ rentalId: id });
    expect(await client.waitFor({ rentalId, state: "terminated" })).toMatchObject({ state: "terminated" });
    expect(await client.terminateRental({ rentalId })).toEqual({
      rentalId: id,
      message: "had already ended",
    });
    expect(sandbox.requests({ operation: "terminateVirtualMachineRental" })).toHaveLength(1);
    expect(await client.listUsage()).toMatchObject([{ rentalId: id, label: "trainer" }]);
    expect(await client.getBalance()).toMatchObject({ currency: "usd", balanceCents: expect.any(Number) });
    expect(await client.listInvoices()).toMatchObject([{ lines: [{ rentalId: id }] }]);
  });

  test("terminate a bare-metal rental through the operation for its type", async () => {
    const { sandbox, client } = await openSandbox();
    const { id } = await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband" });
    await client.terminateRental({ rentalId: id ?? "" });
    expect(sandbox.requests({ operation: "terminateBareMetalRental", status: 200 })).toHaveLength(1);
  });

  test.each([
    ["ends the rental whose record was looked up, even if one of the other type has its ID", 200],
    ["does not fail if the rental is already ending", 409],
  ])("terminateRental %s", async (_what, status) => {
    const operation = (one: string) => `/v2/on-demand/${one}-rentals`;
    const ended: string[] = [];
    const fetch = async (url: string | URL | Request) => {
      const { pathname } = new URL(String(url));
      const kind = pathname.includes("bare-metal") ? "bare-metal" : "virtual-machine";
      if (pathname === descriptionPath) {
        const posts = ["virtual-machine", "bare-metal"].map((one) => `POST ${operation(one)}/terminate`);
        return Response.json(description(Object.fromEntries(posts.map((one) => [one, {}]))));
      }
      if (pathname.endsWith("/terminate")) {
        ended.push(kind);
        const busy = { code: "CONFLICT", message: "Busy", issues: [] };
        return Response.json(status === 409 ? busy : { message: "ended" }, { status });
      }
      if (pathname.endsWith("-rentals"))
        return Response.json([{ id: 5, label: kind === "bare-metal" ? "train" : "dev" }]);
      return Response.json({ id: 5, label: "dev", status: ended.length > 0 ? "Terminating" : "Running" });
    };
    const client = clientOf("https://api.example.com", { fetch, retries: 0 });
    expect(await client.terminateRental({ rentalId: 5 })).toMatchObject({ message: expect.any(String) });
    expect(ended).toEqual(["virtual-machine"]);
  });

  test("end a rental although the operation has moved since the description was fetched", async () => {
    const ends = [
      "/v2/on-demand/rentals/terminate",
      "/v2/on-demand/virtual-machine-rentals/terminate",
    ] as const;
    let now: string = ends[0];
    const sent: string[] = [];
    const fetch = async (url: string | URL | Request) => {
      const { pathname } = new URL(String(url));
      if (pathname === descriptionPath) return Response.json(description({ [`POST ${now}`]: {} }));
      if (!pathname.endsWith("/terminate")) return Response.json({ id: 5, status: "Running" });
      sent.push(pathname);
      const missing = { code: "NOT_FOUND", message: "Not found", issues: [] };
      return pathname === now ? Response.json({ rentalId: 5 }) : Response.json(missing, { status: 404 });
    };
    const client = clientOf("https://api.example.com", { fetch, retries: 0 });
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    await client.terminateRental({ rentalId: 5 });
    now = ends[1];
    // The description is fetched at most every 5 minutes.
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await client.terminateRental({ rentalId: 5 })).toMatchObject({ rentalId: 5 });
    expect(sent).toEqual([ends[0], ends[0], ends[1]]);
  });

  test("list rental options and models, and manage keys", async () => {
    const { client } = await openSandbox();
    expect((await client.listRentalOptions())[0]).toMatchObject({ costPerHourCents: expect.any(Number) });
    expect(await client.listChatModels()).toMatchObject([{ id: "sandbox-echo" }]);
    const created = await client.createApiKey({ name: "ci", access: "read-only" });
    expect(created.apiKey).toMatch(/^\S{20,}$/);
    expect(await client.listApiKeys()).toContainEqual(
      expect.objectContaining({ id: created.id, name: "ci" }),
    );
    expect(await client.revokeApiKey({ id: created.id ?? "" })).toEqual({ success: true });
    const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU= ada";
    const ssh = await client.createSshKey({ name: "laptop", publicKey });
    expect(await client.listSshKeys()).toMatchObject([{ id: ssh.id, publicKey }]);
    await client.deleteSshKey({ id: ssh.id ?? "" });
    expect(await client.listSshKeys()).toEqual([]);
  });

  test("return a list of several pages as one list", async () => {
    const { client } = await openSandbox();
    for (let count = 0; count < 25; count += 1) await client.createVirtualMachineRental({ gpuCount: 1 });
    expect(await client.listUsage()).toHaveLength(25);
    expect(await client.call("listUsage", { limit: 2 })).toMatchObject({ items: [{}, {}] });
  });

  test("are rejected before they are sent if the service's description does not list them", async () => {
    const { sandbox, client } = await openSandbox({ only: "documented" });
    const { id } = await client.createVirtualMachineRental({ gpuCount: 1 });
    await expect(client.terminateRental({ rentalId: id ?? "" })).rejects.toThrow(NotOffered);
    await expect(client.getBalance()).rejects.toThrow("lists no operation for getBalance");
    await expect(client.call("sendMoney")).rejects.toThrow("lists no operation for sendMoney");
    expect(sandbox.requests({ status: "4xx" })).toEqual([]);
  });

  test("fail with the reason why the description is missing", async () => {
    const server = await listen((_request, response) => json(response, { code: "NO", message: "No" }, 404));
    await expect(clientOf(server.origin).getBalance()).rejects.toMatchObject({
      name: "NotOffered",
      message: expect.stringContaining("the service's description could not be fetched (No"),
    });
  });

  test.each([
    ["terminateRental", {}, "rentalId is required"],
    ["terminateRental", { rentalId: { id: 1 } }, "rentalId must be an ID, not an object"],
    ["terminateRental", "1001", 'the input must be an object of fields, not "1001"'],
    ["revokeApiKey", { id: 1.5 }, "id must be an ID, not 1.5"],
    ["createApiKey", {}, "name is required"],
    ["createApiKey", { name: "ci", acces: "full" }, "acces is not a field of this operation"],
    ["createApiKey", { name: "ci", access: "root" }, "access must be one of full, read-only"],
    ["createSshKey", { name: "x", publicKey: 5 }, "publicKey must be a non-empty string, not 5"],
    ["waitFor", { rentalId: 1, state: "ready" }, "state must be one of running, active, terminated"],
  ])("check their input at run time: %s(%o)", async (method, input, message) => {
    const { sandbox, client } = await openSandbox();
    const call = untyped(client)[method]?.(input);
    await expect(call).rejects.toThrow(InvalidInput);
    await expect(call).rejects.toThrow(message);
    expect(sandbox.requests().filter((one) => one.operation !== "getOpenApiDocument")).toEqual([]);
  });
});

describe("call", () => {
  test("calls an operation by its id, or by its method and path", async () => {
    const { client } = await openSandbox();
    const [created] = [await client.call<{ id: number }>("createApiKey", { name: "ci" })];
    expect(await client.call("GET /v2/api-keys")).toHaveLength(3);
    expect(await client.call("DELETE /v2/api-keys/{id}", { id: created.id })).toEqual({ success: true });
    expect(await client.call(`delete /v2/api-keys/${created.id + 1}`).catch(String)).toContain("NotFound");
    expect(await client.call("getRental", { rentalId: "none" })).toBeNull();
  });

  test.each([
    ["listUsage", { limit: 1000 }, "limit must be at most 100"],
    ["listUsage", { page: 1 }, "page is not a field of this operation"],
    ["POST /v2/api-keys", { name: 5 }, "name must be a string"],
    ["POST /v2/api-keys", {}, "name is required"],
    ["DELETE /v2/api-keys/{id}", {}, "the path needs id"],
    ["GET /v2/../api-keys", {}, "must not contain . or .. segments"],
    ["DELETE /v2/api-\tkeys/7", {}, "must be a path"],
    ["createVirtualMachineRental", {}, "gpuCount is required"],
  ])("rejects an invalid operation or input: %s %o", async (operation, input, message) => {
    const { client } = await openSandbox();
    const call = client.call(operation, input);
    await expect(call).rejects.toThrow(InvalidInput);
    await expect(call).rejects.toThrow(message);
  });

  test("sends any input if validation is off, so that the service decides", async () => {
    const { client } = await openSandbox({}, { validate: false });
    await expect(client.call("POST /v2/api-keys", {})).rejects.toThrow(BadRequest);
  });

  test.each([undefined, 5, "", "GET rentals", "/v2/api-keys"])(
    "rejects %o, and the error says how to name an operation",
    async (operation) => {
      const { client } = await openSandbox();
      const named = untyped(client).call?.(operation);
      await expect(named).rejects.toThrow("an operation is named by its ID such as getRental");
    },
  );

  test("calls a path even if the service has no description, and returns text, bytes or nothing", async () => {
    const server = await listen(({ path }, response) => {
      if (path === "/v2/text") response.setHeader("Content-Type", "text/plain").end("hello");
      else if (path === "/v2/bytes") response.setHeader("Content-Type", "image/png").end("png");
      else if (path === "/v2/nothing") response.writeHead(204).end();
      else if (path === "/v2/broken") response.setHeader("Content-Type", "application/json").end("{");
      else json(response, {}, 404);
    });
    const client = clientOf(server.origin);
    expect(await client.call("GET /v2/text")).toBe("hello");
    expect(await client.call("GET /v2/bytes")).toEqual(Buffer.from("png"));
    expect(await client.call("POST /v2/nothing")).toBeNull();
    await expect(client.call("GET /v2/broken")).rejects.toMatchObject({ name: "InvalidResponse" });
    await expect(client.call("POST /v2/broken")).rejects.toMatchObject({ name: "UnknownOutcome" });
  });
});

describe("waitFor", () => {
  test("rejects after its time limit, when the rental is gone, and when the rental fails", async () => {
    const { sandbox, client } = await openSandbox();
    const { id } = await client.createVirtualMachineRental({ gpuCount: 1 });
    const rentalId = id ?? "";
    const wait = client.waitFor({ rentalId }, { waitTimeout: 20, interval: 5 });
    await expect(wait).rejects.toThrow(WaitedTooLong);
    await expect(wait).rejects.toThrow(`timed out waiting until rental ${id} is running: it is Pending`);
    await client.terminateRental({ rentalId });
    await expect(client.waitFor({ rentalId })).rejects.toThrow(RentalGone);
    await expect(client.waitFor({ rentalId: "none" })).rejects.toThrow("rental none not found");
    sandbox.boot({ outcome: "failed", after: "1s" });
    const { id: failing } = await client.createVirtualMachineRental({ gpuCount: 1 });
    sandbox.advance("1m");
    await expect(client.waitFor({ rentalId: failing ?? "" })).rejects.toMatchObject({ name: "RentalFailed" });
  });

  test("and terminateRental reject with RentalGone if the service responds with 404 instead of null", async () => {
    const fetch = async (url: string | URL | Request) =>
      new URL(String(url)).pathname === descriptionPath
        ? Response.json(description({ "POST /v2/on-demand/rentals/terminate": {} }))
        : Response.json({ code: "NOT_FOUND", message: "No", issues: [] }, { status: 404 });
    const client = clientOf("https://api.example.com", { fetch, retries: 0 });
    for (const call of [client.waitFor({ rentalId: 7 }), client.terminateRental({ rentalId: 7 })]) {
      await expect(call).rejects.toThrow(RentalGone);
      await expect(call).rejects.toThrow("rental 7 not found");
    }
  });

  test("rejects when its signal is aborted", async () => {
    const { client } = await openSandbox();
    const { id } = await client.createVirtualMachineRental({ gpuCount: 1 });
    const controller = new AbortController();
    const wait = client.waitFor({ rentalId: id ?? "" }, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(wait).rejects.toThrow("enough");
  });

  test("names an invalid option", async () => {
    const { client } = await openSandbox();
    const wait = untyped(client).waitFor?.({ rentalId: 1 }, { interval: 0 });
    await expect(wait).rejects.toThrow("interval must be a number of milliseconds");
  });
});

describe("the options of one call", () => {
  test("override those of the client", async () => {
    const server = await listen(({ path }, response) =>
      path === "/v2/on-demand/storage-volumes" ? json(response, { message: "Busy" }, 503) : undefined,
    );
    const client = clientOf(server.origin, {
      retries: 5,
      timeout: 60_000,
      headers: { "X-Team": "a", "X-Run": "1" },
    });
    await expect(client.listStorageVolumes({}, { retries: 0, headers: { "X-Run": "2" } })).rejects.toThrow(
      ServerError,
    );
    expect(server.seen.map(({ headers }) => [headers["x-team"], headers["x-run"]])).toEqual([["a", "2"]]);
    const late = client.getRental({ rentalId: "1" }, { timeout: 20, retries: 0 });
    await expect(late).rejects.toMatchObject({ code: "ETIMEDOUT" });
  });

  test.each([
    [{ timeout: 0 }, "timeout must be a number of milliseconds from 1 to"],
    [{ retries: -1 }, "retries must be a whole number of at least 0"],
    [
      { headers: { Authorization: "Bearer x" } },
      "headers must be an object of header names and printable ASCII values",
    ],
    [{ headers: { "X-A": "a\nb" } }, "headers must be"],
    [{ headers: { "X A": "a" } }, "headers must be"],
  ])("%o is invalid", async (given, message) => {
    const { client } = await openSandbox();
    const call = untyped(client).listStorageVolumes?.({}, given);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(message);
  });
});

test("withResponse returns the status, the headers and the service's ID of the request", async () => {
  const server = await listen((_request, response) =>
    json(response, [], 200, { "X-Request-Id": "req-1", "X-Left": "9" }),
  );
  const { data, status, headers, requestId } = await clientOf(server.origin)
    .listStorageVolumes()
    .withResponse();
  expect({ data, status, requestId, left: headers.get("x-left") }).toEqual({
    data: [],
    status: 200,
    requestId: "req-1",
    left: "9",
  });
  const { client } = await openSandbox();
  await expect(client.requestReservation({ gpuCount: 8 }).withResponse()).resolves.toMatchObject({
    status: 200,
  });
  const failed = createUnauthorized(server.origin);
  await expect(failed.withResponse()).rejects.toMatchObject({ name: "NoCredential" });
  await expect(failed).rejects.toMatchObject({ name: "NoCredential" });
});

const createUnauthorized = (origin: string) => clientOf(origin, { apiKey: "" }).listStorageVolumes();

test("the error for a call with stream: true names the method stream(), and nothing is sent", async () => {
  const { sandbox, client } = await openSandbox();
  const input = { model: "sandbox-echo", messages: [{ role: "user" as const, content: "Hi" }], stream: true };
  const call = client.createChatCompletion(input);
  await expect(call).rejects.toThrow(InvalidInput);
  await expect(call).rejects.toThrow("stream must not be true; use the method stream()");
  expect(sandbox.requests()).toEqual([]);
});

describe("iterate", () => {
  test("returns each record, and requests a page only when it is needed", async () => {
    const { sandbox, client } = await openSandbox();
    for (let count = 0; count < 5; count += 1) await client.createVirtualMachineRental({ gpuCount: 1 });
    const labels: unknown[] = [];
    for await (const { id } of client.iterate("listVirtualMachineRentals")) labels.push(id);
    expect(labels).toHaveLength(5);
    for await (const line of client.iterate("listUsage", { limit: 2 })) {
      expect(line).toMatchObject({ amountCents: 0 });
      break;
    }
    expect(sandbox.requests({ operation: "listUsage" })).toHaveLength(1);
    const all: unknown[] = [];
    for await (const line of client.iterate("GET /v2/billing/usage", { limit: 2 })) all.push(line);
    expect(all).toHaveLength(5);
    expect(sandbox.requests({ operation: "listUsage" })).toHaveLength(4);
  });

  test("sends no write", async () => {
    const { sandbox, client } = await openSandbox();
    await expect(client.iterate("createVirtualMachineRental", { gpuCount: 1 }).next()).rejects.toThrow(
      "iterate requires an operation that returns a list",
    );
    expect(sandbox.requests()).toEqual([]);
  });

  test("rejects a read that does not return a list, and sends nothing", async () => {
    const { sandbox, client } = await openSandbox();
    await expect(client.iterate("getRental", { rentalId: 1001 }).next()).rejects.toThrow(
      `iterate requires an operation that returns a list, not "getRental"`,
    );
    expect(sandbox.requests()).toEqual([]);
  });

  test("throws the errors of a call", async () => {
    const { client } = await openSandbox({}, { apiKey: "sk-unknown" });
    await expect(client.iterate("listStorageVolumes").next()).rejects.toThrow(Unauthorized);
    await expect(client.iterate("createApiKey", { name: "x" }).next()).rejects.toThrow(
      "iterate requires an operation that returns a list",
    );
  });
});

describe("errors have the class of their status", () => {
  test.each([
    [400, BadRequest],
    [401, Unauthorized],
    [403, Forbidden],
    [404, NotFound],
    [409, Conflict],
    [410, NotFound],
    [413, ServiceError],
    [422, BadRequest],
    [429, RateLimited],
    [500, ServerError],
    [503, ServerError],
  ])("%i", async (status, kind) => {
    const server = await listen((_request, response) =>
      json(response, { code: "C", message: "M", issues: [1] }, status, { "Retry-After": "2" }),
    );
    const error = await clientOf(server.origin, { retries: 0 })
      .listStorageVolumes()
      .catch((cause) => cause);
    expect(error.constructor).toBe(kind);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      name: kind.name,
      status,
      code: "C",
      message: "M",
      issues: [1],
      retryAfter: 2000,
    });
  });
});

test("a 404 with an HTML page, which may come from a proxy, does not mean that a rental is gone", async () => {
  const fetch = async () => new Response("<h1>default backend - 404</h1>", { status: 404 });
  const client = clientOf("https://api.example.com", { fetch, retries: 0 });
  await expect(client.waitFor({ rentalId: 7 })).rejects.toThrow(NotFound);
});

test("a call rejects with NotFound if neither the service nor its description has the operation", async () => {
  const fetch = async (url: string | URL | Request) =>
    new URL(String(url)).pathname === descriptionPath
      ? Response.json(description({}))
      : Response.json({ code: "NOT_FOUND", message: "No", issues: [] }, { status: 404 });
  const client = clientOf("https://api.example.com", { fetch, retries: 0 });
  await expect(client.listBareMetalRentals()).rejects.toThrow(NotFound);
});

describe("a logger", () => {
  test("receives each request and retry without the key, and a warning about a list that may be incomplete", async () => {
    const lines: string[] = [];
    const logger = Object.fromEntries(
      ["debug", "info", "warn"].map((level) => [level, (text: string) => lines.push(`${level} ${text}`)]),
    );
    const server = await listen(({ path }, response, index) =>
      index === 0 || path === "/v2/openapi.json"
        ? json(response, { message: "Busy" }, 503, { "Retry-After": "0" })
        : json(response, { items: [], total: 5 }),
    );
    await clientOf(server.origin, { logger }).listStorageVolumes();
    const url = `${server.origin}/v2/on-demand/storage-volumes`;
    expect(lines.map((line) => line.replace(/\d+ ms/, "N ms"))).toEqual([
      `debug GET ${url}: 503 in N ms`,
      "info Sending again in N ms",
      `debug GET ${url}: 200 in N ms`,
      "warn There may be more results: the response is one of several pages.",
    ]);
    expect(lines.join()).not.toContain(key);
  });

  test("receives the URL of a redirect without the key, even if the service puts the key into it", async () => {
    const lines: string[] = [];
    const server = await listen(({ path }, response) =>
      path.startsWith("/moved")
        ? json(response, [])
        : response.writeHead(302, { Location: `/moved?key=${key}` }).end(),
    );
    const logger = { debug: (text: string) => lines.push(text) };
    await clientOf(server.origin, { logger }).listStorageVolumes();
    expect(lines.join()).toContain("/moved?key=****");
    expect(lines.join()).not.toContain(key);
  });

  test("that throws does not affect a write", async () => {
    const broken = () => {
      throw new Error("disk full");
    };
    const { client } = await openSandbox({}, { logger: { debug: broken } });
    expect(await client.requestReservation({ gpuCount: 8 })).toHaveProperty("message");
  });
});

describe("an input that the types do not allow", () => {
  test.each([
    ["x", 'the input must be an object of fields, not "x"'],
    [null, "the input must be an object of fields, not null"],
    [[1], "the input must be an object of fields, not an array"],
    [{ gpuCount: 1, gpuTpye: "h200" }, "gpuTpye is not a field of this operation; did you mean gpuType?"],
  ])("%o is rejected before anything is sent", async (input, message) => {
    const { sandbox, client } = await openSandbox();
    const call = untyped(client).createVirtualMachineRental?.(input);
    await expect(call).rejects.toThrow(InvalidInput);
    await expect(call).rejects.toThrow(message);
    expect(sandbox.requests()).toEqual([]);
  });

  test("is accepted for chat, which takes any field", async () => {
    const { client } = await openSandbox();
    const input = { model: "sandbox-echo", messages: [{ role: "user", content: "hi" }], top_k: 5 };
    expect(await untyped(client).createChatCompletion?.(input)).toHaveProperty("choices");
  });
});

test("the calls have the documented types", () => {
  expectTypeOf<Client["call"]>().returns.toEqualTypeOf<CallPromise<unknown>>();
  expectTypeOf<Awaited<ReturnType<Client["listStorageVolumes"]>>>().toBeArray();
});
