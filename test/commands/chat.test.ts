import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { always, overNetwork } from "../support/service.ts";

const service = overNetwork();
const ask = "chat Hello --model llama";

/** A CLI whose service streams these events. Objects are sent as JSON, and strings unchanged. */
const streaming = (...events: unknown[]) =>
  createCli({
    respond: () =>
      new Response(
        events
          .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
          .join(""),
        { headers: { "content-type": "text/event-stream" } },
      ),
  });
const chunk = (content: unknown, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason }],
});

describe("the answer of chat", () => {
  test("is printed", async () => {
    const { run } = await createCli();
    const { code, out, err, requests } = await run('chat "Say this back" --sandbox');
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/Say this back\n$/);
    expect(requests[0]).toMatchObject({ body: { model: "sandbox-echo", stream: true } });
  });

  test("is printed with -o json as the complete response", async () => {
    const completion = { id: "x", choices: [{ message: { content: "hi", extra: [null] } }], new: true };
    const { run } = await createCli({ respond: always(200, completion) });
    const { out, requests } = await run(`${ask} -o json`, service);
    expect(JSON.parse(out)).toEqual(completion);
    expect(requests[0]?.body).not.toHaveProperty("stream");
    expect((await run(`${ask} --no-stream`, service)).out).toBe("hi\n");
  });

  test.each(["-o json", "-o yaml", "--no-stream"])("is not requested as a stream with %s", async (flag) => {
    const { run } = await createCli({ respond: always(200, { choices: [{ message: { content: "hi" } }] }) });
    const { code, requests } = await run(`${ask} ${flag} --param stream=true`, service);
    expect(code).toBe(0);
    expect(requests[0]?.body).not.toHaveProperty("stream");
  });

  test("is printed if the service does not stream it", async () => {
    const { run } = await createCli({
      respond: always(200, { choices: [{ message: { content: "all at once" }, finish_reason: "stop" }] }),
    });
    expect(await run(ask, service)).toMatchObject({ code: 0, out: "all at once\n" });
  });

  test("keeps spaces, skips null values and ends with a line feed", async () => {
    const { run } = await streaming(
      { choices: [{ delta: { role: "assistant", content: null } }] },
      chunk("a"),
      chunk(" "),
      chunk("b"),
      { choices: [] },
      chunk("", "stop"),
      "[DONE]",
    );
    expect(await run(ask, service)).toMatchObject({ code: 0, out: "a b\n", err: "" });
  });

  test("is complete after a finish reason, even without [DONE]", async () => {
    const { run } = await streaming(chunk("a"), chunk("", "stop"));
    expect(await run(ask, service)).toMatchObject({ code: 0, out: "a\n", err: "" });
  });

  test("is printed as far as it arrived if it is truncated, and the exit code is 9", async () => {
    const { run } = await streaming(chunk("half an "), chunk("ans"));
    const { code, out, err } = await run(ask, service);
    expect({ code, out }).toEqual({ code: 9, out: "half an ans\n" });
    expect(err).toContain("cut");
  });

  test.each([
    [{ error: { message: "out of memory", code: 500 } }],
    [{ error: "out of memory" }],
    ['{"error":{"message":"out of memory"}}'],
  ])("is a failure if an error follows the first text: %j", async (event) => {
    const { run } = await streaming(chunk("so far"), event, "[DONE]");
    const { code, out, err } = await run(ask, service);
    expect({ code, out }).toEqual({ code: 9, out: "so far\n" });
    expect(err).toContain("out of memory");
  });

  test("is a failure if an event is not JSON", async () => {
    const { run } = await streaming(chunk("so far"), "oops {");
    expect(await run(ask, service)).toMatchObject({ code: 9, out: "so far\n" });
  });

  test("is followed by a note if it was cut off at the token limit", async () => {
    const { run } = await createCli();
    for (const flags of ["", "--no-stream", "-o json"]) {
      const { code, err } = await run(`chat "one two three four five six" --max-tokens 1 ${flags} --sandbox`);
      expect(code).toBe(0);
      expect(err).toContain("--max-tokens");
    }
  });

  test("is printed without control sequences on a terminal, and unchanged in a pipe", async () => {
    const text = "\u001b]0;owned\u0007\u001b[2Jred\u001b[31m\rx";
    const { run } = await streaming(chunk("\u001b]0;ow"), chunk(text), chunk("", "stop"), "[DONE]");
    const shown = await run(ask, { ...service, terminal: 80 });
    expect(shown.out).toContain("red");
    expect(shown.out).not.toMatch(/[\u001b\u0007\r]/);
    expect((await run(ask, service)).out).toContain(text);
  });

  test("is followed by its token counts with --usage", async () => {
    const { run } = await createCli();
    const streamed = await run("chat Hello --usage --sandbox");
    expect(streamed.requests[0]?.body).toMatchObject({ stream_options: { include_usage: true } });
    expect(streamed.err).toMatch(/^Tokens: \d+ in, \d+ out\n$/);
    expect((await run("chat Hello --usage --no-stream --sandbox")).err).toMatch(
      /^Tokens: \d+ in, \d+ out\n$/,
    );
  });

  test("is followed by token counts that arrive after the finish reason", async () => {
    const { run } = await streaming(
      chunk("a", "stop"),
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
      "[DONE]",
    );
    expect((await run(`${ask} --usage`, service)).err).toBe("Tokens: 3 in, 4 out\n");
  });
});

test("chat sends one more request without stream_options if the service rejects the field", async () => {
  const { run } = await createCli({
    respond: ({ body }) =>
      "stream_options" in Object(body)
        ? Response.json({ detail: "unknown field stream_options" }, { status: 422 })
        : Response.json({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }),
  });
  const { code, out, err, requests } = await run(`${ask} --usage`, service);
  expect({ code, out, err }).toEqual({
    code: 0,
    out: "hi\n",
    err: "The service reported no token counts.\n",
  });
  expect(requests).toHaveLength(2);
  // Without --usage, chat does not send the field.
  const param = await run([...ask.split(" "), "--param", "x=1"], service);
  expect(param.requests).toHaveLength(1);
});

test("chat has a different exit code for each kind of error before the answer", async () => {
  for (const [status, code] of [
    [401, 3],
    [403, 4],
    [404, 5],
    [422, 6],
    [429, 9],
    [500, 10],
  ] as const) {
    const { run } = await createCli({
      respond: always(status, { error: { message: "no", type: "x", code: null } }),
    });
    expect(await run(ask, service)).toMatchObject({ code, out: "" });
    expect(await run(`${ask} -o json`, service)).toMatchObject({ code, out: "" });
  }
});

test("chat does not send an empty message", async () => {
  const { run } = await createCli();
  expect(await run('chat "" --sandbox')).toMatchObject({ code: 2, out: "", requests: [] });
});

test("chat fails if the response is a page of HTML", async () => {
  const page = () => new Response("<h1>Log in, please</h1>", { headers: { "content-type": "text/html" } });
  const { run } = await createCli({ respond: page });
  const outcome = await run("chat hi -m some-model", overNetwork());
  expect(outcome).toMatchObject({ code: 10, out: "" });
  expect(outcome.err).toContain("Log in, please");
});

test("chat says that a truncated answer may have been charged for", async () => {
  const cut = () =>
    new Response('data: {"choices":[{"index":0,"delta":{"content":"so"}}]}\n\n', {
      headers: { "content-type": "text/event-stream" },
    });
  const { run } = await createCli({ respond: cut });
  const outcome = await run("chat hi -m some-model", overNetwork());
  expect(outcome).toMatchObject({ code: 9, out: "so\n" });
  expect(outcome.err).toContain("may have been charged for");
  expect(outcome.err).toContain("https://api.example.com/v1/chat/completions");
});
