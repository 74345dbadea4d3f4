import { describe, expect, test } from "vitest";
import { readFailure } from "../../src/core/responses/failure-body.ts";

const issue = { path: ["gpuCount"], message: "too many" };

describe("the body of an error response", () => {
  test.each([
    [
      "in the service's own format",
      { code: "BAD_REQUEST", message: "Invalid input data", issues: [issue] },
      { code: "BAD_REQUEST", message: "Invalid input data", issues: [issue] },
    ],
    [
      "in the service's own format, without issues",
      { code: "FORBIDDEN", message: "Insufficient access" },
      { code: "FORBIDDEN", message: "Insufficient access", issues: [] },
    ],
    [
      "a flat inference error",
      { object: "error", message: "no such model", type: "NotFoundError", param: null, code: 404 },
      { code: "404", message: "no such model", issues: [] },
    ],
    [
      "a flat inference error whose code is null",
      { object: "error", message: "no such model", type: "NotFoundError", param: "model", code: null },
      {
        code: "NotFoundError",
        message: "no such model",
        issues: [{ path: ["model"], message: "no such model" }],
      },
    ],
    [
      "a nested inference error",
      { error: { message: "too long", type: "invalid_request_error", param: "messages.0", code: "context" } },
      { code: "context", message: "too long", issues: [{ path: ["messages", "0"], message: "too long" }] },
    ],
    [
      "a nested inference error whose code is a number",
      { error: { message: "busy", type: "x", param: null, code: 503 } },
      { code: "503", message: "busy", issues: [] },
    ],
    ["a nested error with only a message", { error: { message: "no" } }, { code: "HTTP_400", message: "no" }],
    ["a nested error without a message", { error: { reason: "x" } }, { message: '{"reason":"x"}' }],
    ["an error in one word", { error: "overloaded" }, { code: "HTTP_400", message: "overloaded" }],
    ["a message alone", { message: "gone" }, { code: "HTTP_400", message: "gone" }],
    [
      "a list of details",
      { detail: [{ loc: ["body", "messages", 0, "role"], msg: "field required", type: "missing" }, "odd"] },
      {
        code: "HTTP_400",
        message: "Invalid input data",
        issues: [{ path: ["messages", 0, "role"], message: "field required" }, "odd"],
      },
    ],
    [
      "a kind of error beside its message",
      { error: "server_error", message: "out of memory" },
      { code: "HTTP_400", message: "out of memory" },
    ],
    [
      "a kind of error beside its detail",
      { error: "HTTPException", detail: "Sampler not found", body: "", errors: "Sampler not found" },
      { code: "HTTP_400", message: "Sampler not found" },
    ],
    [
      "a kind of error beside other errors",
      { error: "OutOfMemoryError", detail: "", body: "", errors: "CUDA out of memory" },
      { message: "CUDA out of memory" },
    ],
    [
      "a detail with fields",
      {
        detail: { error: "validation_error", message: "Voice 'x' not found", type: "invalid_request_error" },
      },
      { message: "Voice 'x' not found" },
    ],
    ["a detail in words", { detail: "Not authenticated" }, { message: "Not authenticated" }],
    ["an object of no known shape", { why: "<b>x</b>" }, { code: "HTTP_400", message: '{"why":" x "}' }],
    ["null", null, { code: "HTTP_400", message: "null", issues: [] }],
    ["a list", [], { code: "HTTP_400", message: "[]", issues: [] }],
    ["a text in JSON", "no", { code: "HTTP_400", message: '"no"' }],
  ])("is decoded if it is %s", (_name, body, expected) => {
    expect(readFailure(400, JSON.stringify(body))).toMatchObject({ status: 400, ...expected });
  });

  test.each([
    ["nothing", "", "empty response body"],
    ["blanks", " \n\t", "empty response body"],
    ["text", "upstream  failed\n", "upstream failed"],
    [
      "HTML",
      "<!doctype html><html><head><title>502</title><style>b{color:red}</style><script>alert(1)</script></head><body><h1>Bad  gateway</h1></body>",
      "502 Bad gateway",
    ],
    ["HTML that was cut in a script", "<h1>Bad gateway</h1><script>let a = '<b", "Bad gateway"],
    ["JSON that was cut", '{"code":"BAD', '{"code":"BAD'],
  ])("determines the message even if it is not JSON: %s", (_name, text, message) => {
    expect(readFailure(502, text)).toEqual({ status: 502, code: "HTTP_502", message, issues: [] });
  });

  test("results in a truncated message if it is long", () => {
    const { message } = readFailure(500, "x".repeat(5_000_000));
    expect(message).toBe(`${"x".repeat(300)}…`);
  });

  test.each(["<", "<script", "<style><", "<a <b"])(
    "is parsed in linear time when it consists only of %s",
    (piece) => {
      const start = performance.now();
      readFailure(500, piece.repeat(300_000));
      expect(performance.now() - start).toBeLessThan(60_000);
    },
  );
});
