import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { always, key, overNetwork, serviceUrl } from "../support/service.ts";

const lookup = `GET ${serviceUrl}/v2/on-demand/rental?rentalId=7`;

describe("a failure names the request, and the status if the response is an error or is invalid", () => {
  test.each([
    ["a lookup that finds nothing", 200, "null", "rentals get 7", 5, `${lookup})`],
    [
      "the service's own code",
      404,
      { code: "NOT_FOUND", message: "Not found" },
      "rentals get 7",
      5,
      `${lookup} returned 404 NOT_FOUND)`,
    ],
    ["a response without an error code", 404, "nothing here", "rentals get 7", 5, `${lookup} returned 404)`],
    ["a response that is not JSON", 200, "<html>", "rentals get 7", 7, `${lookup} returned 200)`],
    [
      "an outcome that is unknown",
      502,
      "bad gateway",
      "user update --name Ada",
      10,
      `PUT ${serviceUrl}/v2/users/me returned 502)`,
    ],
  ])("%s", async (_what, status, body, line, code, expected) => {
    const { run } = await createCli({ respond: always(status, body) });
    const failed = await run(`${line} --retries 0`, overNetwork());
    expect(failed.code).toBe(code);
    expect(failed.err.split("\n")[0]).toMatch(expected);
    expect(failed.err.split("\n")[0]?.endsWith(expected)).toBe(true);
    const document = JSON.parse((await run(`${line} --retries 0 -o json`, overNetwork())).err);
    expect(Object.keys(document.error)).toEqual([
      "code",
      "message",
      "issues",
      "status",
      "exitCode",
      "retryable",
      "hint",
      "request",
    ]);
  });
});

describe("a redirect that is not followed", () => {
  test.each([
    [
      "to another host",
      `https://ada:${key}@elsewhere.example/login?token=${key}`,
      "volumes list",
      7,
      "redirects to https://elsewhere.example/login; the API key is not sent to another origin, so the redirect was not followed",
    ],
    [
      "to a path that contains the key",
      `https://elsewhere.example/${key}`,
      "volumes list",
      7,
      "redirects to https://elsewhere.example/****;",
    ],
    [
      "of a write",
      "/moved",
      "user update --name Ada",
      10,
      `redirects to ${serviceUrl}/moved; gpuctl does not follow redirects for PUT requests`,
    ],
    ["in a loop", "/moved", "volumes list", 7, `too many redirects, the last one to ${serviceUrl}/moved`],
    ["to an invalid URL", "http://[", "volumes list", 7, "redirects to an invalid URL"],
  ])(
    "%s: the error says why it is not followed and what to do",
    async (_where, location, line, exitCode, expected) => {
      const { run } = await createCli({ respond: always(302, "", { location }) });
      const { code, out, err } = await run(line, overNetwork());
      expect({ code, out }).toEqual({ code: exitCode, out: "" });
      expect(err).toContain(expected);
      expect(err).toContain("returned 302)");
      expect(err).toContain("--base-url");
      expect(err).not.toContain(key);
    },
  );
});
