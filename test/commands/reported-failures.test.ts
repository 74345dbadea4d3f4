import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { description, descriptionPath } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const service = overNetwork();
const error = { code: "FORBIDDEN", message: "not for you", issues: [] };
const failed = { success: false };

/** A CLI whose writes, or reads, get this body with status 200. The sandbox responds to all other requests. */
const answering = (body: unknown, to: "writes" | "reads" = "writes") =>
  createCli({
    respond: ({ method }) =>
      (method === "GET") === (to === "reads")
        ? new Response(body === "" ? "" : JSON.stringify(body))
        : undefined,
  });

describe("a failure in a response with status 200, from an operation that only the description names", () => {
  const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU= ada";
  const rental = { id: 1001, state: "active" };
  const keys = (path: string) => ({ [`GET ${path}`]: {}, [`POST ${path}`]: {}, [`DELETE ${path}/{id}`]: {} });
  const operations = {
    "POST /v2/on-demand/rentals/terminate": {},
    ...keys("/v2/api-keys"),
    ...keys("/v2/ssh-keys"),
  };

  /** A CLI whose service responds to writes with this body, and to lookups with one key or rental. */
  const cli = (body: unknown) =>
    createCli({
      negotiates: true,
      respond: ({ method, path }) => {
        if (method !== "GET") return Response.json(body);
        if (path.endsWith("-keys")) return Response.json([{ id: 7, name: "ci" }]);
        if (path === descriptionPath) return Response.json(description(operations));
        return Response.json(path.endsWith("/rental") ? rental : []);
      },
    });

  test.each([
    ["rentals terminate 1001 --yes", "Rental 1001 was looked up: it is active now."],
    [
      "api-keys create ci",
      "Nothing new is listed yet, but the key may still appear. Check again before you retry. `gpuctl api-keys list` shows whether the key was created",
    ],
    [
      "ssh-keys add -",
      "Nothing new is listed yet, but the key may still appear. Check again before you retry. `gpuctl ssh-keys list` shows whether the key was added.",
    ],
  ])("makes the outcome of %s unknown, because the request is a POST", async (line, look) => {
    for (const body of [failed, error]) {
      const outcome = await (await cli(body)).run(line, { ...service, stdin: publicKey });
      expect(outcome).toMatchObject({ code: 10, out: "" });
      expect(outcome.err).toContain(look);
    }
  });

  test.each([
    [
      "api-keys revoke ci --yes",
      "Key 7 is still listed. `gpuctl api-keys list` shows whether the key was revoked.",
    ],
    [
      "ssh-keys remove ci --yes",
      "Key 7 is still listed. `gpuctl ssh-keys list` shows whether the key was removed.",
    ],
  ])("makes %s (a DELETE) fail, but an error body makes its outcome unknown", async (line, look) => {
    expect(await (await cli(failed)).run(line, service)).toMatchObject({ code: 7, out: "" });
    const outcome = await (await cli(error)).run(line, service);
    expect(outcome).toMatchObject({ code: 10, out: "" });
    expect(outcome.err).toContain(look);
  });

  test.each(["api-keys create ci", "ssh-keys add -"])(
    "is possible if the response to %s is not a record, so the outcome is unknown",
    async (line) => {
      for (const body of [[], "ok", null]) {
        expect(await (await cli(body)).run(line, { ...service, stdin: publicKey })).toMatchObject({
          code: 10,
        });
      }
    },
  );
});

const create = "rentals create vm --gpus 1 --yes";

describe("a response with status 200", () => {
  test.each([
    [failed, 7],
    [error, 10],
    [{ error: "no" }, 10],
    [null, 10],
    ["", 10],
  ])("is an error for an update or a deletion: %j", async (body, code) => {
    const { run } = await answering(body);
    for (const line of ["user update --name Ada", "user delete --yes"]) {
      const outcome = await run(line, service);
      expect(outcome).toMatchObject({ code, out: "" });
    }
  });

  const gateway = { success: true, error: { message: "out of capacity", type: "x", code: 7 } };
  const errors = [
    { error: { code: 503, status: "UNAVAILABLE" } },
    { error: "no", requestId: "abc" },
    { error: { message: "no" }, trace_id: "1", data: null },
    { error: true, message: "Backend timeout" },
    { object: "error", message: "no", type: "t", param: null, code: 1 },
  ];
  test.each([...errors, failed, error, gateway, [[]], "ok", null].map((body) => ({ body })))(
    "is an error for a create: $body",
    async ({ body }) => {
      const { run } = await answering(body);
      for (const line of [
        create,
        "volumes create --region us-central-1 --label data-1 --size-in-gb 256",
        "reserve request --gpus 8",
      ]) {
        expect(await run(line, service)).toMatchObject({ code: 10, out: "" });
      }
    },
  );

  test.each([[error], [{}], [null], [{ data: { items: [] } }], [{ error: "no" }]])(
    "is an error for a listing: %j",
    async (body) => {
      const { run } = await answering(body, "reads");
      for (const line of ["rentals list", "volumes list"]) {
        expect(await run(line, service)).toMatchObject({ code: 7, out: "" });
      }
    },
  );

  test("is no error if it has a field that errors also have, such as `detail`", async () => {
    const done = { success: true, detail: "Account closed" };
    expect((await (await answering(done)).run("user delete --yes", service)).code).toBe(0);
    const requested = { message: "We will contact you", detail: "ticket 12" };
    expect((await (await answering(requested)).run("reserve request --gpus 8", service)).code).toBe(0);
  });

  test("is no error if the record of a rental has an `error` besides its other fields", async () => {
    const { run } = await answering({ id: 7, status: "Pending", error: "waits for a GPU" });
    expect(await run(`${create} -o id`, service)).toMatchObject({ code: 0, out: "7\n" });
  });

  test("with the fields `state` and `status`: `rentals wait` decides by `state` whether the rental has ended", async () => {
    const { run } = await answering({ id: 1, state: "terminated", status: "running" }, "reads");
    expect((await run("rentals wait 1 --for terminated", service)).code).toBe(0);
    expect((await run("rentals wait 1", service)).code).toBe(5);
  });
});

test("a response with status 500 shows the issues that explain it, although the outcome is unknown", async () => {
  const issues = [{ path: [], message: "the image could not be loaded" }];
  const body = { code: "INTERNAL_SERVER_ERROR", message: "Internal server error", issues };
  const { run } = await createCli({
    respond: ({ method }) => (method === "POST" ? Response.json(body, { status: 500 }) : undefined),
  });
  const shown = await run(create, service);
  expect(shown.err).toContain("the image could not be loaded");
  const { code, err } = await run(`${create} -o json`, service);
  expect(code).toBe(10);
  expect(JSON.parse(err).error).toMatchObject({ code: "UNKNOWN_OUTCOME", issues });
});
