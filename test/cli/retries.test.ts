import { describe, expect, test } from "vitest";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { createCli, firstMoment } from "../support/cli.ts";
import { inTurn, overNetwork } from "../support/service.ts";

const failing =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response("", { status, headers });
const ok = () => Response.json([]);
const broken = () => {
  throw new ConnectionFailed("the connection was reset", { code: "ECONNRESET", sent: true });
};

describe("a read is retried", () => {
  test("three times, with increasing delays", async () => {
    const { run } = await createCli({
      respond: inTurn(failing(500), failing(502), failing(503), failing(504), ok),
    });
    const { code, slept, requests } = await run("volumes list", overNetwork());
    expect({ code, tries: requests.length }).toEqual({ code: 7, tries: 4 });
    expect(slept).toEqual([187.5, 375, 750]);
  });

  test("until it succeeds, without a message", async () => {
    const { run } = await createCli({ respond: inTurn(failing(500), broken, ok) });
    const { code, out, err, slept } = await run("volumes list -o json", overNetwork());
    expect({ code, out, err, pauses: slept.length }).toEqual({ code: 0, out: "[]\n", err: "", pauses: 2 });
  });

  test("after the Retry-After delay, in seconds or until a date", async () => {
    const date = new Date(firstMoment + 7000 + 5000).toUTCString();
    const { run } = await createCli({
      respond: inTurn(failing(429, { "retry-after": "7" }), failing(503, { "retry-after": date }), ok),
    });
    const { code, slept } = await run("volumes list", overNetwork());
    expect({ code, slept }).toEqual({ code: 0, slept: [7000, 5000] });
  });

  test("as often as --retries or GPUCTL_RETRIES says", async () => {
    const { run } = await createCli({ respond: () => new Response("", { status: 429 }) });
    expect((await run("volumes list --retries 1", overNetwork())).requests).toHaveLength(2);
    expect((await run("volumes list", overNetwork({ GPUCTL_RETRIES: "0" }))).requests).toHaveLength(1);
    expect(
      (await run("volumes list --retries 2", overNetwork({ GPUCTL_RETRIES: "0" }))).requests,
    ).toHaveLength(3);
  });

  test("after a 408, but not after a 429 that asks to wait 2 hours; the error reports the wait", async () => {
    const asks = failing(429, { "retry-after": "7200" });
    const { run } = await createCli({ respond: inTurn(failing(408), asks) });
    const { code, err, slept } = await run("volumes list", overNetwork());
    expect({ code, slept }).toEqual({ code: 9, slept: [187.5] });
    expect(err).toContain("Too many requests. The service asks to wait 2h.\n");
  });

  test.each([
    ["a write that is refused", "user update --name Ada", 429, "90", "1m 30s"],
    ["a read of a service that is down", "volumes list", 503, "Fri, 20 Nov 2026 15:00:00 GMT", "3h"],
  ])("but nothing is retried after a long Retry-After: %s", async (_what, line, status, asked, shown) => {
    const { run } = await createCli({ respond: inTurn(failing(status, { "retry-after": asked })) });
    const { requests, slept, err } = await run(line, overNetwork());
    expect({ sent: requests.length, slept }).toEqual({ sent: 1, slept: [] });
    expect(err).toContain(`The service asks to wait ${shown}.`);
  });

  test.each([
    ["0", "Wait, then try again."],
    ["0.0000001", "Wait, then try again."],
    ["9".repeat(30), "The service asks to wait more than 36500d."],
  ])("but a write is not; its error explains a Retry-After of %s in words", async (asked, shown) => {
    const { run } = await createCli({ respond: failing(429, { "retry-after": asked }) });
    const { err } = await run("user update --name Ada", overNetwork());
    expect(err).toContain(`Too many requests. ${shown}\n`);
  });

  test("but not after a client error", async () => {
    const { run } = await createCli({ respond: () => new Response("", { status: 404 }) });
    expect(await run("volumes list", overNetwork())).toMatchObject({ code: 5, slept: [] });
  });

  test("and the command exits with 9 if the last attempt gets a 429", async () => {
    const { run } = await createCli({ respond: () => new Response("", { status: 429 }) });
    expect(await run("volumes list", overNetwork())).toMatchObject({ code: 9 });
  });

  test("after a timeout", async () => {
    const { run } = await createCli({ respond: () => new Promise<Response>(() => {}) });
    const { code, requests, err } = await run("volumes list --timeout 20ms --retries 1", overNetwork());
    expect({ code, tries: requests.length }).toEqual({ code: 9, tries: 2 });
    expect(err).toContain("no response within 0.02 s");
  });
});
