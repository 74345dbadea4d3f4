import { describe, expect, test } from "vitest";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { createCli, type Responder } from "../support/cli.ts";
import { descriptionPath, requestLines } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const reset = () => {
  throw new ConnectionFailed("the connection was reset", { code: "ECONNRESET", sent: true });
};

/** A service that responds with `end` to the request for its description, and normally to all other requests. */
const without =
  (end: () => Response): Responder =>
  ({ path }) =>
    path === descriptionPath ? end() : Response.json({ id: 1 });

const unlisted = ["api call createSshKey -f name=a", "chat models"];

describe.each([
  ["returns 500", () => new Response("", { status: 500 }), 7, true],
  ["resets the connection", reset, 9, true],
  ["returns 404", () => new Response("", { status: 404 }), 5, false],
  ["returns an HTML page", () => new Response("<html>"), 7, true],
])("a service whose description path %s", (_name, end, exitCode, retryable) => {
  test.each(unlisted)("is not reported as lacking the operation of `%s`", async (line) => {
    const { run } = await createCli({ respond: without(end) });
    const { code, out, err, requests } = await run(`${line} -o json`, overNetwork());
    expect({ code, out }, err).toEqual({ code: exitCode, out: "" });
    const { error } = JSON.parse(err.trim().split("\n").at(-1) ?? "");
    expect(error).toMatchObject({ code: "NO_DESCRIPTION", retryable });
    expect(error.message).toMatch(
      /^could not fetch the service's OpenAPI description \(.+\), so it is not known whether /,
    );
    expect(new Set(requestLines(requests))).toEqual(new Set([`GET ${descriptionPath}`]));
  });

  test.each(["getRental -f rentalId=1", "GET /v2/ssh-keys"])(
    "can still be called with api call %s",
    async (line) => {
      const { run } = await createCli({ respond: without(end) });
      const { code, out, err } = await run(`api call ${line}`, overNetwork());
      expect({ code, body: JSON.parse(out) }).toEqual({ code: 0, body: { id: 1 } });
      expect(err).toContain("Using the one in this version of gpuctl");
    },
  );
});

test.each([...unlisted, "api call getRental -f rentalId=1", "api call GET /v2/x", "api list"])(
  "`%s` without a base URL says how to set one",
  async (line) => {
    const { run } = await createCli();
    const { code, out, err, requests } = await run(line);
    expect({ code, out, requests }).toEqual({ code: 3, out: "", requests: [] });
    expect(err).toContain("no base URL is set");
    expect(err).toContain("`gpuctl setup`");
    expect(err).toContain("--sandbox");
    expect(err).not.toContain("lists no");
  },
);

test("api call in a dry run without a description does not say that the operation is missing", async () => {
  const { run } = await createCli();
  const { code, err, requests } = await run("api call createSshKey --dry-run", overNetwork());
  expect({ code, requests }).toEqual({ code: 2, requests: [] });
  expect(err).toContain("gpuctl api spec");
  expect(err).not.toContain("lists no");
});
