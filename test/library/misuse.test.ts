import { execa } from "execa";
import { describe, expect, test, vi } from "vitest";
import { createClient, InvalidInput } from "../../src/library/client.ts";
import { ControlRefused, createSandbox, type Sandbox, SandboxClosed } from "../../src/library/sandbox.ts";
import { openSandbox } from "./harness.ts";

/** Calls a function with arguments that its types may not allow, as a JavaScript program can. */
const callUntyped = (callee: unknown, ...args: unknown[]): unknown =>
  typeof callee === "function" ? callee(...args) : undefined;

const expected = (kind: ErrorConstructor | TypeErrorConstructor | RangeErrorConstructor, message: string) => {
  const error = new kind(message);
  return expect.objectContaining({ name: error.name, message: expect.stringContaining(message) });
};

describe("createSandbox says which option is invalid, and what is valid", () => {
  test.each([
    [
      null,
      "createSandbox requires an object with options (file, now, serve, port, only, seed, scenario), not null",
    ],
    [
      "state.db",
      'createSandbox requires an object with options (file, now, serve, port, only, seed, scenario), not "state.db"',
    ],
    [{ prot: 1 }, "createSandbox has no option prot; its options are file, now, serve, port, only, seed"],
    [{ port: 70_000 }, "port must be a whole number from 0 to 65535, not 70000"],
    [{ port: -1 }, "port must be a whole number"],
    [{ port: 1.5 }, "port must be a whole number"],
    [{ port: "8787" }, 'port must be a whole number from 0 to 65535, not "8787"'],
    [{ file: 5 }, "file must be the path of a file, not 5"],
    [{ file: "" }, 'file must be the path of a file, not ""'],
    [{ now: 5 }, "now must be a function, not 5"],
    [{ now: () => Number.NaN }, "now() must return a time in milliseconds since 1970, not NaN"],
    [{ now: () => new Date(0) }, "now() must return a time in milliseconds since 1970, not an object"],
    [{ serve: "no" }, 'serve must be true or false, not "no"'],
  ])("%o", async (options, message) => {
    await expect(callUntyped(createSandbox, options)).rejects.toEqual(expected(TypeError, message));
  });
});

describe("a fault is checked, and its errors use the field names of the library", () => {
  test.each([
    [undefined, TypeError, "a fault must be an object with an operation, not undefined"],
    [
      { operation: "*", delay: "zz" },
      RangeError,
      'delay must be a number of milliseconds, 0 or more, or a string such as 90s, 1h30m or 30d, not "zz"',
    ],
    [{ operation: "*", delay: -1 }, RangeError, "delay must be"],
    [{ operation: "*", status: 503, retryAfter: "soon" }, RangeError, "retryAfter must be"],
  ])("%o", async (fault, kind, message) => {
    const { sandbox } = await openSandbox();
    expect(() => callUntyped(sandbox.fault, fault)).toThrow(expected(kind, message));
  });

  test.each([
    [{}, "operation is required"],
    [{ operation: "getRentals", status: 500 }, "did you mean getRental?"],
    [{ operation: "*", delay: "25d" }, "delay must be at most"],
    [{ operation: "*", status: 503, retryAfter: 1500 }, "retryAfter must be a whole number of seconds"],
    [{ operation: "*", delay: 1, retryAfter: "1s" }, "retryAfter requires a status"],
    [{ operation: "*", statuss: 500 }, "statuss is not a field of a fault"],
    [{ operation: "*", status: 200 }, "status must be at least 400"],
  ])("%o", async (fault, message) => {
    const { sandbox } = await openSandbox();
    const add = () => callUntyped(sandbox.fault, fault);
    expect(add).toThrow(ControlRefused);
    expect(add).toThrow(message);
  });

  test("and a valid retryAfter is accepted", async () => {
    const { sandbox } = await openSandbox();
    sandbox.fault({ operation: "*", status: 503, retryAfter: "2s" });
    expect((await sandbox.fetch("/v2/openapi.json")).headers.get("retry-after")).toBe("2");
  });
});

test.each([
  [undefined, TypeError, "an engine must be an object with a kind and a url, not undefined"],
  [{ kind: "video", url: "http://127.0.0.1:1" }, ControlRefused, "kind must be one of chat, image, audio"],
  [{ kind: "chat" }, ControlRefused, "url is required"],
  [{ kind: "chat", url: "127.0.0.1" }, ControlRefused, "url must be a URL"],
  [{ kind: "chat", url: "http://127.0.0.1:1", key: "x" }, ControlRefused, "key is not a field of an engine"],
])("the engine %o is rejected", async (engine, kind, message) => {
  const { sandbox } = await openSandbox();
  const set = () => callUntyped(sandbox.engine, engine);
  expect(set).toThrow(kind);
  expect(set).toThrow(message);
});

describe("an invalid boot rule, situation or chat script is reported with the field names of the library", () => {
  test.each([
    [undefined, "a boot rule must be an object with an outcome, not undefined"],
    [{}, "outcome is required"],
    [{ outcome: "never", after: "1s" }, 'after must be left out when outcome is "never"'],
    [{ outcome: "slow", after: "soon" }, "after must be a number of milliseconds"],
  ])("boot(%o)", async (boot, message) => {
    const { sandbox } = await openSandbox();
    expect(() => callUntyped(sandbox.boot, boot)).toThrow(message);
  });

  test.each([
    [undefined, "a situation must be an object with a kind, not undefined"],
    [{ kind: "quota" }, "gpus is required"],
    [{ kind: "failure", after: "1s", at: "2030-01-01T00:00:00Z" }, "at cannot be combined"],
    [{ kind: "rate-limit", requests: 1, window: 0 }, "window must be more than 0"],
  ])("situation(%o)", async (situation, message) => {
    const { sandbox } = await openSandbox();
    expect(() => callUntyped(sandbox.situation, situation)).toThrow(message);
  });

  test.each([
    [undefined, "replies is required"],
    [{}, "replies must be an array"],
    [[{ text: "a" }, { text: 1 }], "replies.1.text must be a string"],
  ])("chatScript.set(%o)", async (replies, message) => {
    const { sandbox } = await openSandbox();
    const set = () => callUntyped(sandbox.chatScript.set, replies);
    expect(set).toThrow(ControlRefused);
    expect(set).toThrow(message);
  });
});

test.each([undefined, null, "xx", "", {}, Number.NaN, -5, "1y", true])(
  "advance(%o) says what the duration must be",
  async (span) => {
    const { sandbox } = await openSandbox();
    expect(() => callUntyped(sandbox.advance, span)).toThrow(
      expected(RangeError, "the duration must be a number of milliseconds, 0 or more, or a string"),
    );
  },
);

test("time does not advance past the year 9999, and can advance by fractions", async () => {
  const { sandbox } = await openSandbox();
  expect(() => sandbox.advance(1e20)).toThrow("the duration must not move the clock past 9999-12-31");
  sandbox.advance("1.5h");
  sandbox.advance(0.4);
});

test.each([undefined, null, 5, {}])("fetch(%o) says what fetch requires", async (input) => {
  const { sandbox } = await openSandbox();
  await expect(callUntyped(sandbox.fetch, input)).rejects.toEqual(
    expected(TypeError, "fetch requires a URL, a path or a Request"),
  );
});

test("the methods of a closed sandbox say that the sandbox is closed", async () => {
  const { sandbox, client } = await openSandbox();
  await sandbox.close();
  const closed = expect.objectContaining({ name: "SandboxClosed" });
  await expect(sandbox.fetch("/v1/models")).rejects.toThrow(SandboxClosed);
  await expect(client.listStorageVolumes()).rejects.toEqual(closed);
  expect(() => sandbox.reset()).toThrow("reset was used after the sandbox was closed");
  expect(() => sandbox.advance(1)).toThrow("advance was used");
  expect(() => sandbox.fault({ operation: "*", status: 500 })).toThrow("fault was used");
  expect(() => sandbox.engine({ kind: "chat", url: "http://127.0.0.1:1" })).toThrow("engine was used");
  expect(() => sandbox.clearEngines()).toThrow("clearEngines was used");
  await sandbox.close();
});

test("closing a sandbox ends a pending request as a lost connection does", async () => {
  const { sandbox } = await openSandbox();
  sandbox.fault({ operation: "listStorageVolumes", delay: "1h" });
  const headers = { Authorization: `Bearer ${sandbox.keys.full}` };
  const pending = sandbox.fetch("/v2/on-demand/storage-volumes", { headers });
  await vi.waitFor(() => expect(sandbox.faults()).toMatchObject([{ left: 0 }]));
  await sandbox.close();
  await expect(pending).rejects.toMatchObject({ name: "TypeError", cause: { code: "ECONNRESET" } });
});

describe("the body of a response from the fetch of a sandbox", () => {
  const chat = (sandbox: Sandbox, signal?: AbortSignal) =>
    sandbox.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { Authorization: `Bearer ${sandbox.keys.full}` },
      body: JSON.stringify({
        model: "m",
        stream: true,
        messages: [{ role: "user", content: "one two three" }],
      }),
      ...(signal && { signal }),
    });

  test.each(["AbortError", "TimeoutError"])("ends with the %s of the caller", async (name) => {
    const { sandbox } = await openSandbox();
    sandbox.fault({ operation: "createChatCompletion", cutStreamAfter: 2, stall: true });
    const stop = new AbortController();
    const response = await chat(sandbox, stop.signal);
    const text = response.text();
    stop.abort(new DOMException("no longer needed", name));
    await expect(text).rejects.toMatchObject({ name, message: "no longer needed" });
  });

  test("ends with a TypeError if a fault breaks the connection", async () => {
    const { sandbox } = await openSandbox();
    sandbox.fault({ operation: "createChatCompletion", cutStreamAfter: 2, reset: true });
    await expect((await chat(sandbox)).text()).rejects.toMatchObject({
      name: "TypeError",
      cause: { code: "ECONNRESET" },
    });
  });

  test("ends with a TypeError if the sandbox is closed", async () => {
    const { sandbox } = await openSandbox();
    sandbox.fault({ operation: "createChatCompletion", cutStreamAfter: 2, stall: true });
    const text = (await chat(sandbox)).text();
    const [closed] = await Promise.allSettled([text, sandbox.close()]);
    expect(closed).toMatchObject({ reason: { name: "TypeError", cause: { code: "ECONNRESET" } } });
  });

  test.each(["a read", "a pipe"])("can be canceled while %s waits for a chunk", async (reader) => {
    const { sandbox } = await openSandbox();
    sandbox.fault({ operation: "createChatCompletion", cutStreamAfter: 1, stall: true });
    const { body } = await chat(sandbox);
    if (body === null) throw new Error("no body");
    if (reader === "a pipe") {
      const stop = new AbortController();
      const sink = new WritableStream({
        // By then, the pipe waits for the next chunk.
        write: () => void setImmediate(() => stop.abort(new Error("enough"))),
      });
      await expect(body.pipeTo(sink, { signal: stop.signal })).rejects.toThrow("enough");
      return;
    }
    const chunks = body.getReader();
    const read = async () => {
      while (!(await chunks.read()).done);
    };
    const reading = read();
    await new Promise(setImmediate);
    await chunks.cancel();
    await reading;
  });

  test("keeps the process running until it ends, and can still time out after a garbage collection", async () => {
    const library = new URL("../../src/library/sandbox.ts", import.meta.url).href;
    const script = `
      const { createSandbox } = await import(${JSON.stringify(library)});
      const sandbox = await createSandbox({ serve: false });
      sandbox.chatScript.set(Array(2).fill({ text: "one two three", betweenTokensMs: 3_600_000 }));
      const ask = (signal) => sandbox.fetch("/v1/chat/completions", {
        method: "POST",
        headers: { Authorization: "Bearer " + sandbox.keys.full },
        body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "one two" }] }),
        signal,
      });
      // Loads the code. Otherwise, the request below could time out before its response arrives.
      const warmUp = new AbortController();
      await ask(warmUp.signal);
      warmUp.abort();
      const response = await ask(AbortSignal.timeout(2_000));
      const text = response.text();
      await new Promise(setImmediate);
      globalThis.gc();
      await text.catch((error) => console.log(error.name));
      await sandbox.close();`;
    const options = ["--expose-gc", "--import", "tsx", "--input-type=module"];
    const run = await execa(process.execPath, [...options, "--eval", script], { timeout: 20_000 });
    expect(run.stdout).toBe("TimeoutError");
  });
});

describe("createClient says which option is invalid", () => {
  const valid = { baseUrl: "https://api.example.com", apiKey: "key-of-mine" };

  test.each([
    [undefined, "createClient requires an object with options (baseUrl, inferenceBaseUrl, apiKey,"],
    [
      { ...valid, baseUrl: undefined },
      "baseUrl must be a URL such as https://api.example.com, not undefined",
    ],
    [{ ...valid, baseUrl: "ftp://x" }, "baseUrl must be a URL"],
    [{ ...valid, inferenceBaseUrl: "x" }, "inferenceBaseUrl must be a URL"],
    [{ ...valid, apiKey: undefined }, "apiKey must be a string, not undefined"],
    [{ ...valid, fetch: 5 }, "fetch must be a function, not 5"],
    [{ ...valid, timeout: 0.5 }, "timeout must be a number of milliseconds from 1 to"],
    [{ ...valid, timeout: "5s" }, "timeout must be a number of milliseconds from 1 to"],
    [{ ...valid, retries: -1 }, "retries must be a whole number of at least 0, not -1"],
    [{ ...valid, userAgent: "a\nb" }, "userAgent must be printable ASCII text"],
    [{ ...valid, validate: "no" }, 'validate must be true or false, not "no"'],
    [{ ...valid, insecureHttp: 1 }, "insecureHttp must be true or false, not 1"],
    [{ ...valid, apikey: "x" }, "createClient has no option apikey; its options are"],
  ])("%o", (options, message) => {
    expect(() => callUntyped(createClient, options)).toThrow(expected(TypeError, message));
  });

  test("but does not show an API key that is inside an object", () => {
    const wrapped = { ...valid, apiKey: { value: "sk-of-mine" } };
    expect(() => callUntyped(createClient, wrapped)).toThrow("apiKey must be a string, not an object");
  });
});

describe("a call says which argument is invalid", () => {
  test.each([undefined, null, "1"])("an input %o", async (input) => {
    const { client } = await openSandbox();
    await expect(callUntyped(client.getRental, input)).rejects.toThrow(InvalidInput);
  });

  test.each([
    [5, "listStorageVolumes requires an object with options (signal, timeout, retries, headers), not 5"],
    [{ signal: 5 }, "signal must be an AbortSignal, not 5"],
    [
      { signla: 5 },
      "listStorageVolumes has no option signla; its options are signal, timeout, retries, headers",
    ],
  ])("options %o", async (options, message) => {
    const { client } = await openSandbox();
    await expect(callUntyped(client.listStorageVolumes, {}, options)).rejects.toEqual(
      expected(TypeError, message),
    );
  });

  test.each([undefined, "nope", "listStorageVolumes", "constructor"])("a stream of %o", async (id) => {
    const { client } = await openSandbox();
    const chunks = callUntyped(client.stream, id, {}) as ReturnType<typeof client.stream>;
    await expect(chunks.next()).rejects.toEqual(
      expected(TypeError, "stream requires an operation that streams (createChatCompletion), not"),
    );
  });
});
