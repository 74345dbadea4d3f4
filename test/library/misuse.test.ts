import { describe, expect, test } from "vitest";
import { createClient, InvalidInput } from "../../src/library/client.ts";
import { ControlRefused, createSandbox, SandboxClosed } from "../../src/library/sandbox.ts";
import { openSandbox } from "./harness.ts";

/** Calls something with what its types do not allow, as a program without types may. */
const loosely = (work: unknown, ...given: unknown[]): unknown =>
  typeof work === "function" ? work(...given) : undefined;

const expected = (kind: ErrorConstructor | TypeErrorConstructor | RangeErrorConstructor, message: string) => {
  const error = new kind(message);
  return expect.objectContaining({ name: error.name, message: expect.stringContaining(message) });
};

describe("createSandbox says which option is invalid, and what is valid", () => {
  test.each([
    [null, "createSandbox requires an object with options (file, now, serve, port, only), not null"],
    [
      "state.db",
      'createSandbox requires an object with options (file, now, serve, port, only), not "state.db"',
    ],
    [{ prot: 1 }, "createSandbox has no option prot; its options are file, now, serve, port, only"],
    [{ port: 70_000 }, "port must be a whole number from 0 to 65535, not 70000"],
    [{ port: -1 }, "port must be a whole number"],
    [{ port: 1.5 }, "port must be a whole number"],
    [{ port: "8787" }, 'port must be a whole number from 0 to 65535, not "8787"'],
    [{ file: 5 }, "file must be the path of a file, not 5"],
    [{ file: "" }, 'file must be the path of a file, not ""'],
    [{ now: 5 }, "now must be a function, not 5"],
    [{ now: () => Number.NaN }, "now must return milliseconds since 1970, not NaN"],
    [{ now: () => new Date(0) }, "now must return milliseconds since 1970, not an object"],
    [{ serve: "no" }, 'serve must be true or false, not "no"'],
  ])("%o", async (options, message) => {
    await expect(loosely(createSandbox, options)).rejects.toEqual(expected(TypeError, message));
  });
});

describe("an invalid fault is reported with the field names of the library", () => {
  test.each([
    [undefined, TypeError, "a fault must be an object with an operation, not undefined"],
    [
      { operation: "*", delay: "zz" },
      RangeError,
      'delay must be milliseconds or a string such as 90s, 1h30m or 30d, not "zz"',
    ],
    [{ operation: "*", delay: -1 }, RangeError, "delay must be"],
    [{ operation: "*", status: 503, retryAfter: "soon" }, RangeError, "retryAfter must be"],
  ])("%o", async (fault, kind, message) => {
    const { sandbox } = await openSandbox();
    expect(() => loosely(sandbox.fault, fault)).toThrow(expected(kind, message));
  });

  test.each([
    [{}, "operation is required"],
    [{ operation: "getRentals", status: 500 }, "did you mean getRental?"],
    [{ operation: "*", delay: "25d" }, "delay must be at most"],
    [{ operation: "*", status: 503, retryAfter: 1500 }, "retryAfter must be whole seconds"],
    [{ operation: "*", delay: 1, retryAfter: "1s" }, "retryAfter requires a status"],
    [{ operation: "*", statuss: 500 }, "statuss is not a field of a fault"],
    [{ operation: "*", status: 200 }, "status must be at least 400"],
  ])("%o", async (fault, message) => {
    const { sandbox } = await openSandbox();
    const add = () => loosely(sandbox.fault, fault);
    expect(add).toThrow(ControlRefused);
    expect(add).toThrow(message);
  });

  test("a fault may say how long to wait", async () => {
    const { sandbox } = await openSandbox();
    sandbox.fault({ operation: "*", status: 503, retryAfter: "2s" });
    expect((await sandbox.fetch("/v2/openapi.json")).headers.get("retry-after")).toBe("2");
  });
});

test.each([undefined, null, "xx", "", {}, Number.NaN, -5, "1y", true])(
  "advance(%o) names the invalid value",
  async (span) => {
    const { sandbox } = await openSandbox();
    expect(() => loosely(sandbox.advance, span)).toThrow(
      expected(RangeError, "the duration must be milliseconds or a string"),
    );
  },
);

test("time does not advance beyond the last year, nor by a part of a millisecond", async () => {
  const { sandbox } = await openSandbox();
  expect(() => sandbox.advance(1e20)).toThrow("the duration must not go past 9999-12-31");
  sandbox.advance("1.5h");
  sandbox.advance(0.4);
});

test.each([undefined, null, 5, {}])("fetch(%o) names the invalid value", async (input) => {
  const { sandbox } = await openSandbox();
  await expect(loosely(sandbox.fetch, input)).rejects.toEqual(
    expected(TypeError, "fetch requires a URL, a path or a Request"),
  );
});

test("every method of a closed sandbox says that it is closed", async () => {
  const { sandbox, client } = await openSandbox();
  await sandbox.close();
  const closed = expect.objectContaining({ name: "SandboxClosed" });
  await expect(sandbox.fetch("/v1/models")).rejects.toThrow(SandboxClosed);
  await expect(client.listStorageVolumes()).rejects.toEqual(closed);
  expect(() => sandbox.reset()).toThrow("reset was used after the sandbox was closed");
  expect(() => sandbox.advance(1)).toThrow("advance was used");
  expect(() => sandbox.fault({ operation: "*", status: 500 })).toThrow("fault was used");
  await sandbox.close();
});

describe("createClient says which option is invalid", () => {
  const right = { baseUrl: "https://api.example.com", apiKey: "key-of-mine" };

  test.each([
    [undefined, "createClient requires an object with options (baseUrl, inferenceBaseUrl, apiKey,"],
    [
      { ...right, baseUrl: undefined },
      "baseUrl must be a URL such as https://api.example.com, not undefined",
    ],
    [{ ...right, baseUrl: "ftp://x" }, "baseUrl must be a URL"],
    [{ ...right, inferenceBaseUrl: "x" }, "inferenceBaseUrl must be a URL"],
    [{ ...right, apiKey: undefined }, "apiKey must be a string, not undefined"],
    [{ ...right, fetch: 5 }, "fetch must be a function, not 5"],
    [{ ...right, timeout: "5s" }, "timeout must be a number of milliseconds from 1 to"],
    [{ ...right, retries: -1 }, "retries must be a whole number of at least 0, not -1"],
    [{ ...right, userAgent: "a\nb" }, "userAgent must be printable ASCII text"],
    [{ ...right, validate: "no" }, 'validate must be true or false, not "no"'],
    [{ ...right, insecureHttp: 1 }, "insecureHttp must be true or false, not 1"],
    [{ ...right, apikey: "x" }, "createClient has no option apikey; its options are"],
  ])("%o", (options, message) => {
    expect(() => loosely(createClient, options)).toThrow(expected(TypeError, message));
  });

  test("a key inside another value is not repeated in the error", () => {
    const wrapped = { ...right, apiKey: { value: "sk-of-mine" } };
    expect(() => loosely(createClient, wrapped)).toThrow("apiKey must be a string, not an object");
  });
});

describe("a call says what is missing", () => {
  test.each([undefined, null, "1"])("an input %o", async (input) => {
    const { client } = await openSandbox();
    await expect(loosely(client.getRental, input)).rejects.toThrow(InvalidInput);
  });

  test.each([
    [5, "listStorageVolumes requires an object with options (signal), not 5"],
    [{ signal: 5 }, "signal must be an AbortSignal, not 5"],
    [{ signla: 5 }, "listStorageVolumes has no option signla; its options are signal"],
  ])("options %o", async (options, message) => {
    const { client } = await openSandbox();
    await expect(loosely(client.listStorageVolumes, {}, options)).rejects.toEqual(
      expected(TypeError, message),
    );
  });

  test.each([undefined, "nope", "listStorageVolumes", "constructor"])("a stream of %o", async (id) => {
    const { client } = await openSandbox();
    const pieces = loosely(client.stream, id, {}) as ReturnType<typeof client.stream>;
    await expect(pieces.next()).rejects.toEqual(
      expected(TypeError, "stream requires an operation that streams (createChatCompletion), not"),
    );
  });
});
