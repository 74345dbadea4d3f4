import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const service = overNetwork();
const error = { code: "FORBIDDEN", message: "not for you", issues: [] };
const failed = { success: false };

/** Responds to writes, or to reads, with this body and status 200, and leaves the others to the sandbox. */
const answering = (body: unknown, to: "writes" | "reads" = "writes") =>
  createCli({
    respond: ({ method }) =>
      (method === "GET") === (to === "reads")
        ? new Response(body === "" ? "" : JSON.stringify(body))
        : undefined,
  });

const create = "rentals create vm --gpus 1 --yes";

describe("a response with status 200 that reports a failure, or nothing, is no success", () => {
  test.each([
    [failed, 7],
    [error, 10],
    [null, 10],
    ["", 10],
  ])("to an update or a deletion: %j", async (body, code) => {
    const { run } = await answering(body);
    for (const line of ["user update --name Ada", "user delete --yes"]) {
      const outcome = await run(line, service);
      expect(outcome).toMatchObject({ code, out: "" });
    }
  });

  test.each([[failed], [error], [[]], ["ok"], [null]])("to a create: %j", async (body) => {
    const { run } = await answering(body);
    for (const line of [
      create,
      "volumes create --region us-central-1 --label data-1 --size-in-gb 256",
      "reserve request --gpus 8",
    ]) {
      expect(await run(line, service)).toMatchObject({ code: 10, out: "" });
    }
  });

  test.each([[error], [{}], [null], [{ data: { items: [] } }], [{ error: "no" }]])(
    "to a listing: %j",
    async (body) => {
      const { run } = await answering(body, "reads");
      for (const line of ["rentals list", "volumes list"]) {
        expect(await run(line, service)).toMatchObject({ code: 7, out: "" });
      }
    },
  );

  test("`state` decides whether a rental has ended", async () => {
    const { run } = await answering({ id: 1, state: "terminated", status: "running" }, "reads");
    expect((await run("rentals wait 1 --for terminated", service)).code).toBe(0);
    expect((await run("rentals wait 1", service)).code).toBe(5);
  });
});
