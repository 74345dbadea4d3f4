import { describe, expect, test } from "vitest";
import { caller, failure, key, read, write } from "./calling.ts";
import { json, listen } from "./server.ts";

const redirecting = (location: string, status: number) =>
  listen(({ path }, response) =>
    path.startsWith("/moved")
      ? json(response, ["here"])
      : response.writeHead(status, { Location: location }).end("see there"),
  );

const statuses = [301, 302, 303, 307, 308];

describe.each(statuses)("a redirect with %i", (status) => {
  test("is followed for a read within the same origin, with the key", async () => {
    const server = await redirecting("/moved?a=b", status);
    expect(await caller(server.origin).call(...read)).toEqual(["here"]);
    expect(server.seen.map(({ path }) => path)).toEqual(["/v2/on-demand/storage-volumes", "/moved?a=b"]);
    expect(server.seen[1]?.headers.authorization).toBe(`Bearer ${key}`);
  });

  test("to another origin is not followed", async () => {
    const other = await listen((_request, response) => json(response, ["stolen"]));
    const server = await redirecting(`${other.origin}/moved`, status);
    expect(await failure(caller(server.origin).call(...read))).toMatchObject({
      name: "ServiceError",
      status,
    });
    expect(other.seen).toEqual([]);
    expect(server.seen).toHaveLength(1);
  });

  test("is never followed for a write, whose outcome is unknown", async () => {
    const server = await redirecting("/moved", status);
    expect(await failure(caller(server.origin).call(...write))).toMatchObject({
      name: "UnknownOutcome",
      status,
    });
    expect(server.seen).toHaveLength(1);
  });
});

describe.each([304, 305, 306])("%i, which is not a redirect", (status) => {
  test("is not followed, and the error does not mention a redirect", async () => {
    const server = await redirecting("/moved", status);
    const read_ = await failure(caller(server.origin, { retries: 0 }).call(...read));
    expect(read_).toMatchObject({ name: "ServiceError", status });
    const written = await failure(caller(server.origin).call(...write));
    expect(written).toMatchObject({ name: "UnknownOutcome", status });
    for (const { message } of [read_, written]) expect(message).not.toContain("redirect");
    expect(server.seen).toHaveLength(2);
  });
});

describe("a redirect", () => {
  test("to another name of the same host is not followed, because that is another origin", async () => {
    const server = await listen((_request, response) =>
      response.writeHead(302, { Location: `http://localhost:${server.port}/moved` }).end(),
    );
    await failure(caller(server.origin).call(...read));
    expect(server.seen).toHaveLength(1);
  });

  test.each(["", "http://", "javascript:alert(1)"])("to %j is not followed", async (location) => {
    const server = await listen((_request, response) =>
      response.writeHead(302, { Location: location }).end(),
    );
    expect(await failure(caller(server.origin, { retries: 0 }).call(...read))).toMatchObject({ status: 302 });
  });

  test("in a loop is a failure", async () => {
    const server = await listen((_request, response) =>
      response.writeHead(302, { Location: "/v2/again" }).end(),
    );
    expect(await failure(caller(server.origin).call(...read))).toMatchObject({ status: 302 });
    expect(server.seen).toHaveLength(6);
  });

  test("is followed on the same connection", async () => {
    const server = await redirecting("/moved", 302);
    const { call } = caller(server.origin);
    await call(...read);
    await call(...read);
    expect(server.connections()).toBe(1);
  });
});
