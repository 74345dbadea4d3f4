import { describe, expect, test } from "vitest";
import { caller, failure, read, write } from "./calling.ts";
import { json, listen } from "./server.ts";

const serverReturning = (status: number, body: string, type = "application/json") =>
  listen((_request, response) => {
    response.writeHead(status, { "Content-Type": type });
    response.end(body);
  });

describe("a successful response", () => {
  test("is returned unchanged", async () => {
    const odd = [{ id: 9007199254740991, unknown: null, nested: { state: "Zombie" } }, null, "text", 1];
    const server = await serverReturning(200, JSON.stringify(odd));
    expect(await caller(server.origin).call(...read)).toEqual(odd);
  });

  test("can have a 2xx status other than 200, and a content type other than JSON", async () => {
    const server = await serverReturning(201, '{"id":"a"}', "text/plain");
    expect(await caller(server.origin).call(...write)).toEqual({ id: "a" });
  });

  test("can be split within a character", async () => {
    const bytes = Buffer.from('["ü🖥"]');
    const server = await listen((_request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await caller(server.origin).call(...read)).toEqual(["ü🖥"]);
  });

  test("can be null, as in a lookup that finds nothing", async () => {
    const server = await serverReturning(200, "null");
    expect(await caller(server.origin).call("getRental", { rentalId: "1" })).toBeNull();
  });

  test("to a write can be a 204", async () => {
    const server = await serverReturning(204, "");
    expect(await caller(server.origin).call("deleteCurrentUser", {})).toBeNull();
  });
});

describe("a successful response that cannot be used", () => {
  test.each([
    ["a page of a proxy", "<html><body>Please log in</body></html>", "Please log in"],
    ["JSON that was cut", '[{"id":1', '[{"id":1'],
  ])("is an invalid response to a read: %s", async (_name, body, expected) => {
    const server = await serverReturning(200, body, "text/html");
    const error = await failure(caller(server.origin).call(...read));
    expect(error).toMatchObject({ name: "InvalidResponse", status: 200 });
    expect(error.message).toContain(expected);
    expect(server.seen).toHaveLength(1);
  });

  test("is an invalid response to a read: an empty body is not an empty list", async () => {
    const server = await serverReturning(200, "");
    expect(await failure(caller(server.origin).call(...read))).toMatchObject({ name: "InvalidResponse" });
  });

  test.each(["", "null", "\n"])("leaves the outcome of a create unknown: %j", async (body) => {
    const server = await serverReturning(200, body);
    expect(await failure(caller(server.origin).call(...write))).toMatchObject({ name: "UnknownOutcome" });
    expect(server.seen).toHaveLength(1);
  });

  test("leaves the outcome of a change unknown if it is null", async () => {
    const server = await serverReturning(200, "null");
    const error = await failure(caller(server.origin).call("deleteCurrentUser", {}));
    expect(error).toMatchObject({ name: "UnknownOutcome" });
  });

  test.each([200, 204])("leaves the outcome of a generation unknown if it is empty: %d", async (status) => {
    const server = await serverReturning(status, "");
    const { call } = caller(undefined, { target: { inferenceBaseUrl: server.origin } });
    expect(await failure(call("generateAudio", { text: "hi" }))).toMatchObject({ name: "UnknownOutcome" });
  });

  test("leaves the outcome of a write unknown if it is not JSON", async () => {
    const server = await serverReturning(200, "<html>Welcome</html>", "text/html");
    expect(await failure(caller(server.origin).call(...write))).toMatchObject({
      name: "UnknownOutcome",
      status: 200,
    });
    expect(server.seen).toHaveLength(1);
  });
});

describe("a failure", () => {
  test("has the status, code, message, issues and request, but no key", async () => {
    const issues = [{ path: ["gpuCount"], message: "must be a number" }];
    const server = await listen((_request, response) =>
      json(response, { code: "BAD_REQUEST", message: "Invalid input data", issues }, 400),
    );
    const error = await failure(caller(server.origin).call(...write));
    expect(error).toMatchObject({
      name: "ServiceError",
      status: 400,
      code: "BAD_REQUEST",
      message: "Invalid input data",
      issues,
      request: { method: "POST", url: `${server.origin}/v2/on-demand/virtual-machine-rentals` },
    });
    expect(JSON.stringify(error)).not.toContain("sk-test");
  });

  test("can be an HTML page of a proxy", async () => {
    const server = await serverReturning(403, "<html><h1>403 Forbidden</h1><p>nginx</p></html>", "text/html");
    expect(await failure(caller(server.origin).call(...read))).toMatchObject({
      name: "ServiceError",
      status: 403,
      code: "HTTP_403",
      message: "403 Forbidden nginx",
    });
  });
});

describe("the deprecated path of the current user", () => {
  const both = (status: number) =>
    listen(({ path }, response) =>
      path.startsWith("/v2/")
        ? json(response, { code: "X", message: "no" }, status)
        : json(response, { success: true }),
    );

  test("is tried after a 404 from the newer path", async () => {
    const server = await both(404);
    const input = { name: "Ada" };
    expect(await caller(server.origin).call("updateCurrentUser", input)).toEqual({ success: true });
    expect(await caller(server.origin).call("deleteCurrentUser", {})).toEqual({ success: true });
    expect(server.seen.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
      'PUT /v2/users/me {"name":"Ada"}',
      'PUT /users/me {"name":"Ada"}',
      "DELETE /v2/users/me ",
      "DELETE /users/me ",
    ]);
  });

  test.each([200, 400, 401, 403, 405, 409, 410, 429, 500, 503])("is not tried after a %i", async (status) => {
    const server = await both(status);
    await caller(server.origin)
      .call("deleteCurrentUser", {})
      .catch(() => {});
    expect(server.seen.map(({ path }) => path)).toEqual(["/v2/users/me"]);
  });

  test("is tried for no other operation", async () => {
    const server = await both(404);
    await failure(caller(server.origin).call(...read));
    await failure(caller(server.origin).call(...write));
    expect(server.seen).toHaveLength(2);
  });
});
