import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createAssembler } from "../../src/client/completion/assemble.ts";
import { completionChunks } from "../../src/client/completion/chunks.ts";
import { serverEvents } from "../../src/client/stream.ts";
import { responseLimits } from "../../src/contract/plain/response-limits.ts";
import { Interrupted } from "../../src/core/errors.ts";
import { type Cli, createCli, type Responder } from "../support/cli.ts";
import { fc } from "../support/property.ts";
import { overNetwork } from "../support/service.ts";

const service = overNetwork();
const ask = "chat Hello --model llama";

/** A streamed response whose body arrives in these chunks. */
const streaming = (...chunks: readonly (string | Uint8Array)[]): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
        controller.close();
      },
    }),
    { headers: { "content-type": "text/event-stream" } },
  );

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const choice = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const text = (content: unknown) => event(choice({ content }));
const end = (reason: unknown) => event(choice({}, { finish_reason: reason }));
const done = "data: [DONE]\n\n";

interface Case {
  readonly body: string | readonly (string | Uint8Array)[];
  readonly flags?: string;
  readonly out: string;
  readonly code?: number;
  /** The complete stderr, or patterns that match parts of stderr. */
  readonly err?: string | readonly RegExp[];
}

const cases: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  "the lines of a streamed answer": {
    "end in a line feed": { body: text("a") + text("b") + done, out: "ab\n" },
    "end in a carriage return": { body: (text("a") + text("b") + done).replaceAll("\n", "\r"), out: "ab\n" },
    "end in a carriage return and a line feed": {
      body: (text("a") + text("b") + done).replaceAll("\n", "\r\n"),
      out: "ab\n",
    },
    "can be received in pieces that split a character": {
      body: [
        Buffer.from(text("né🖥")).subarray(0, -12),
        Buffer.from(text("né🖥")).subarray(-12, -10),
        Buffer.from(text("né🖥")).subarray(-10),
        done,
      ],
      out: "né🖥\n",
    },
    "can be events that keep the connection open": {
      body: `${text("a")}data:\n\n${text("b")}event: ping\ndata: 2026-11-24\n\ndata: \n\n${end("stop")}${done}`,
      out: "ab\n",
      err: "",
    },
    "can be comments": { body: `: ping\n\n${text("a")}:\n:: ping\n${text("b")}${done}`, out: "ab\n" },
    "are read even if the last line has no line feed": {
      body: text("a") + end("stop").trimEnd(),
      out: "a\n",
    },
  },
  "the end of a streamed answer": {
    "is [DONE]": { body: text("a") + done, out: "a\n" },
    "is [DONE] without a blank line": { body: `${text("a")}data: [DONE]`, out: "a\n" },
    "is [DONE], and what follows is ignored": { body: text("a") + done + text("b"), out: "a\n" },
    "is the end of the response after a finish reason": { body: text("a") + end("stop"), out: "a\n" },
    "is missing if the finish reason of every event is the text null": {
      body: event(choice({ content: "a" }, { finish_reason: "null" })),
      out: "a\n",
      code: 9,
      err: [/cut off: the stream ended early/],
    },
    "is missing if there is neither [DONE] nor a finish reason": {
      body: text("a"),
      out: "a\n",
      code: 9,
      err: [/cut off: the stream ended early/],
    },
  },
  "errors in a streamed answer": {
    "can be in an event that has only the field error": {
      body: text("a") + event({ error: { message: "out of memory" } }) + done,
      out: "a\n",
      code: 9,
      err: [/cut off: out of memory/],
    },
    "can be in an event that also has text": {
      body: text("a") + event({ ...choice({ content: "b" }), error: { message: "out of memory" } }),
      out: "ab\n",
      code: 9,
      err: [/cut off: out of memory/],
    },
    "can be events of the type error": {
      body: `${text("a")}event: error\ndata: out of memory\n\n${done}`,
      out: "a\n",
      code: 9,
      err: [/cut off: out of memory/],
    },
    "can be events of the type error with JSON": {
      body: `${text("a")}event: error\ndata: {"message":"out of memory"}\n\n`,
      out: "a\n",
      code: 9,
      err: [/cut off: out of memory/],
    },
    "can be in a field of the stream called error": {
      body: `${text("a")}error: {"code":500,"message":"Context size has been exceeded."}\n\n${done}`,
      out: "a\n",
      code: 9,
      err: [/cut off: Context size has been exceeded\. \(code 500\)/],
    },
    "can be in a field of the stream called error, at its end": {
      body: `${text("a")}error: out of memory\n`,
      out: "a\n",
      code: 9,
      err: [/cut off: out of memory/],
    },
    "can be events of the type error with only a comment": {
      body: `${text("a")}event: error\n: out of memory\n\n${done}`,
      out: "a\n",
      code: 9,
      err: [/cut off: out of memory/],
    },
    "can be events of the type error with nothing else": {
      body: `${text("a")}event:error\r\n\r\n${done}`,
      out: "a\n",
      code: 9,
      err: [/cut off: the service reported an error/],
    },
    "can be in the field x_groq": {
      body: text("a") + event({ ...choice({}), x_groq: { error: "over_capacity" } }) + done,
      out: "a\n",
      code: 9,
      err: [/cut off: over_capacity/],
    },
    "can be lines of JSON between the events": {
      body: `${text("a")}{"error":{"message":"out of memory"}}\n\n${done}`,
      out: "a\n",
      code: 9,
      err: [/cut off: out of memory/],
    },
    "can be the object of the event": {
      body: text("a") + event({ object: "error", message: "out of memory", code: "1000" }) + done,
      out: "a\n",
      code: 9,
      err: [/cut off: out of memory \(code 1000\)/],
    },
    "can be the type in the event": {
      body: text("a") + event({ type: "error", message: "out of memory", other: 1 }) + done,
      out: "a\n",
      code: 9,
      err: [/cut off: out of memory/],
    },
    "can be in the choice": {
      body:
        text("a") +
        event({
          choices: [{ delta: { content: "" }, finish_reason: "error", error: { message: "out of memory" } }],
        }) +
        done,
      out: "a\n",
      code: 9,
      err: [/cut off: out of memory/],
    },
    "can be a finish reason": {
      body: text("a") + end("insufficient_system_resource") + done,
      out: "a\n",
      code: 9,
      err: [/cut off: the model stopped because of "insufficient_system_resource"/],
    },
    "can be a text instead of an object": {
      body: text("a") + event({ error: "out of memory" }),
      out: "a\n",
      code: 9,
      err: [/out of memory/],
    },
  },
  "the code of an error in a streamed answer": {
    "is a string": {
      body: text("a") + event({ error: { message: "no", code: "overloaded" } }),
      out: "a\n",
      code: 9,
      err: [/cut off: no \(code overloaded\)/],
    },
    "is an integer": {
      body: text("a") + event({ error: { message: "no", code: 503 } }),
      out: "a\n",
      code: 9,
      err: [/cut off: no \(code 503\)/],
    },
    "is null": {
      body: text("a") + event({ error: { message: "no", code: null } }),
      out: "a\n",
      code: 9,
      err: [/cut off: no \(POST/],
    },
  },
  "the token counts of a streamed answer": {
    "come after the finish reason, without choices": {
      body:
        text("a") +
        end("stop") +
        event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }) +
        done,
      flags: "--usage",
      out: "a\n",
      err: "Tokens: 3 in, 4 out\n",
    },
    "come with null choices": {
      body:
        text("a") +
        end("stop") +
        event({ choices: null, usage: { prompt_tokens: 3, completion_tokens: 4 } }) +
        done,
      flags: "--usage",
      out: "a\n",
      err: "Tokens: 3 in, 4 out\n",
    },
    "come with each event": {
      body:
        event({ ...choice({ content: "a" }), usage: { prompt_tokens: 3, completion_tokens: 1 } }) +
        event({ ...choice({ content: "b" }), usage: { prompt_tokens: 3, completion_tokens: 2 } }) +
        done,
      flags: "--usage",
      out: "ab\n",
      err: "Tokens: 3 in, 2 out\n",
    },
  },
  "invalid token counts of a streamed answer": {
    "are shown as a question mark": {
      body:
        text("a") +
        event({ choices: [], usage: { prompt_tokens: { n: 3 }, completion_tokens: 4 } }) +
        end("stop"),
      flags: "--usage",
      out: "a\n",
      err: "Tokens: ? in, 4 out\n",
    },
    "are reported as missing if both are invalid": {
      body:
        text("a") +
        event({ choices: [], usage: { prompt_tokens: "\x1b[31m3", completion_tokens: [-1] } }) +
        end("stop"),
      flags: "--usage",
      out: "a\n",
      err: "The service reported no token counts.\n",
    },
  },
  "the finish reason of a streamed answer": {
    "is stop": { body: text("a") + end("stop"), out: "a\n", err: "" },
    "is length": { body: text("a") + end("length"), out: "a\n", err: [/token limit/] },
    "is tool_calls": { body: text("a") + end("tool_calls"), out: "a\n", err: "" },
    "is content_filter": { body: text("a") + end("content_filter"), out: "a\n", err: [/withheld/] },
    "is function_call": { body: text("a") + end("function_call"), out: "a\n", err: "" },
    "is unknown": { body: text("a") + end("eos"), out: "a\n", err: "" },
    "can be empty if [DONE] follows": { body: text("a") + end("") + done, out: "a\n" },
    "does not end the answer if it is empty and [DONE] is missing": {
      body: text("a") + end(""),
      out: "a\n",
      code: 9,
    },
    "can be null if [DONE] follows": { body: text("a") + end(null) + done, out: "a\n" },
  },
  "the text of a streamed answer": {
    "can be null, absent or empty in an event": {
      body:
        text(null) + event(choice({})) + text("") + text("a") + event(choice({ content: undefined })) + done,
      out: "a\n",
    },
    "can be a space in an event": { body: text("a") + text(" ") + text("b") + done, out: "a b\n" },
    "can follow an event with the role": {
      body: event(choice({ role: "assistant", content: "" })) + text("a") + done,
      out: "a\n",
    },
    "is the text of the choice with the index 0": {
      body:
        event({ choices: [{ index: 1, delta: { content: "x" } }] }) +
        event({
          choices: [
            { index: 1, delta: { content: "y" } },
            { index: 0, delta: { content: "a" } },
          ],
        }) +
        event({ choices: [{ index: 1, delta: {}, finish_reason: "length" }] }) +
        end("stop"),
      out: "a\n",
      err: "",
    },
    "can be in a choice without an index": {
      body: event({ choices: [{ delta: { content: "a" } }] }) + done,
      out: "a\n",
    },
  },
  "the reasoning in a streamed answer": {
    "can be in the field reasoning_content": {
      body:
        event(choice({ reasoning_content: "I th" })) +
        event(choice({ reasoning_content: "ink" })) +
        text("a") +
        done,
      out: "a\n",
      err: "I think\n",
    },
    "can be in the field reasoning": {
      body: event(choice({ reasoning: "I think" })) + text("a") + done,
      out: "a\n",
      err: "I think\n",
    },
    "can be between <think> tags": {
      body: text("<think>I think</think>\n\na") + done,
      out: "a\n",
      err: "I think\n",
    },
    "can be between <think> tags that are split over several events": {
      body: [..."\n<think>\nI < think</think>\n\na </think> b"].map(text).join("") + done,
      out: "a </think> b\n",
      err: "\nI < think\n",
    },
    "does not start at a tag that follows other text": {
      body: text("a <think>b</think>") + done,
      out: "a <think>b</think>\n",
      err: "",
    },
    "does not start with text that only resembles a tag": {
      body: text("<thi") + text("s> a") + done,
      out: "<this> a\n",
      err: "",
    },
    "does not start with an incomplete tag": { body: text("<thin") + done, out: "<thin\n", err: "" },
    "is not printed with --quiet": {
      body: event(choice({ reasoning: "I think" })) + text("a") + done,
      flags: "-q",
      out: "a\n",
      err: "",
    },
    "that reaches the token limit is followed by a note and the token counts": {
      body:
        event(choice({ reasoning: "I think" })) +
        end("length") +
        event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 200 } }) +
        done,
      flags: "--usage",
      out: "",
      code: 7,
      err: [
        /The answer was cut at the token limit; --max-tokens \(in a conversation, `\/set max_tokens`\) raises it\.\nTokens: 5 in, 200 out\n/,
        /the response has no text/,
      ],
    },
    "is not an answer if no other text follows": {
      body: text("<think>I think") + done,
      out: "",
      code: 7,
      err: [/^I think\n/, /the response has no text/],
    },
  },
  "the tool calls in a streamed answer": {
    "are combined by their index": {
      body:
        event(
          choice({
            content: null,
            tool_calls: [{ index: 0, id: "1", function: { name: "weather", arguments: "" } }],
          }),
        ) +
        event(
          choice({ tool_calls: [{ index: 1, id: "2", function: { name: "time", arguments: '{"in"' } }] }),
        ) +
        event(choice({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] })) +
        event(
          choice({
            tool_calls: [
              { index: 0, function: { arguments: '"Oslo"}' } },
              { index: 1, function: { arguments: ':"UTC"}' } },
            ],
          }),
        ) +
        end("tool_calls") +
        done,
      out: "",
      code: 7,
      err: [
        /Tool call: weather \{"city":"Oslo"\}\nTool call: time \{"in":"UTC"\}\n/,
        /the response has no text/,
      ],
    },
    "start with a name and another id, even if all have the same index": {
      body:
        event(choice({ tool_calls: [{ index: 0, id: "1", function: { name: "a", arguments: "{" } }] })) +
        // Some services give each part a new id.
        event(choice({ tool_calls: [{ index: 0, id: "x", function: { arguments: "}" } }] })) +
        event(choice({ tool_calls: [{ index: 0, id: "2", function: { name: "b", arguments: "[" } }] })) +
        event(choice({ tool_calls: [{ index: 0, function: { arguments: "]" } }] })) +
        end("tool_calls"),
      out: "",
      code: 7,
      err: [/Tool call: a \{\}\nTool call: b \[\]\n/],
    },
    "can follow a text": {
      body:
        text("Wait.") +
        event(choice({ tool_calls: [{ index: 0, id: "1", function: { name: "time" } }] })) +
        end("tool_calls"),
      out: "Wait.\n",
      err: "Tool call: time {}\n",
    },
    "can have no index": {
      body:
        text("Wait.") +
        event(choice({ tool_calls: [{ id: "1", function: { name: "a", arguments: "{" } }] })) +
        event(choice({ tool_calls: [{ function: { arguments: "}" } }] })) +
        event(choice({ tool_calls: [{ id: "2", function: { name: "b", arguments: "{}" } }] })) +
        done,
      out: "Wait.\n",
      err: "Tool call: a {}\nTool call: b {}\n",
    },
    "can be a single call in the field function_call": {
      body:
        text("Wait.") +
        event(choice({ function_call: { name: "time", arguments: "{}" } })) +
        end("function_call"),
      out: "Wait.\n",
      err: "Tool call: time {}\n",
    },
  },
};

/** The stored answer to a question without --session, or undefined if there is none. */
async function storedAnswer({ folder }: Cli): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(join(folder, "state/chat-sessions/last.jsonl"), "utf8").catch(() => "");
  const turns = text
    .split("\n")
    .filter(Boolean)
    .map((line): Record<string, unknown> => JSON.parse(line));
  return turns.find(({ role }) => role === "assistant");
}

describe.each(Object.entries(cases))("%s", (_item, table) => {
  test.each(Object.entries(table))("%s", async (_name, { body, flags = "", out, code = 0, err }) => {
    const chunks = typeof body === "string" ? [body] : body;
    const cli = await createCli({ respond: () => streaming(...chunks) });
    const outcome = await cli.run(`${ask} ${flags}`, service);
    expect(outcome).toMatchObject({ code, out });
    const answer = await storedAnswer(cli);
    expect({ content: answer?.content ?? "", isCut: answer?.incomplete !== undefined }).toEqual({
      content: out.replace(/\n$/, ""),
      isCut: code === 9,
    });
    expect(outcome.requests).toHaveLength(1);
    if (typeof err === "string") expect(outcome.err).toBe(err);
    else for (const part of err ?? []) expect(outcome.err).toMatch(part);
  });
});

describe("chat with a service that refuses stream_options", () => {
  const refusing =
    (status: number): Responder =>
    ({ body }) =>
      "stream_options" in Object(body)
        ? Response.json({ error: { message: "unknown field" } }, { status })
        : streaming(text("a"), done);

  test.each([400, 422])(
    "sends one more request, without stream_options, after a response of %i",
    async (status) => {
      const { run } = await createCli({ respond: refusing(status) });
      const { code, out, requests } = await run(`${ask} --usage`, service);
      expect({ code, out }).toEqual({ code: 0, out: "a\n" });
      expect(requests.map(({ body }) => "stream_options" in Object(body))).toEqual([true, false]);
    },
  );

  test("sends no other request after a response of 429", async () => {
    const { run } = await createCli({ respond: refusing(429) });
    const { code, requests } = await run(`${ask} --usage`, service);
    expect({ code, requests: requests.length }).toEqual({ code: 9, requests: 1 });
  });
});

test("chat prints the first text at once, even if the service sends faster than gpuctl reads", async () => {
  const count = 500;
  let sent = 0;
  let sentBefore = count;
  const { run } = await createCli({
    respond: () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            sent += 1;
            controller.enqueue(Buffer.from(sent > count ? done : text("a")));
            if (sent > count) controller.close();
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      ),
  });
  const write = () => {
    sentBefore = Math.min(sentBefore, sent);
  };
  const { code, out } = await run(`${ask} --no-stdin`, {
    ...service,
    messages: { read: Readable.from([]), write },
  });
  expect({ code, out }).toEqual({ code: 0, out: `${"a".repeat(count)}\n` });
  expect(sentBefore).toBeLessThan(count / 2);
});

describe("a streamed answer that breaks off", () => {
  test("is not requested again after the first text", async () => {
    const { run } = await createCli({
      respond: () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(Buffer.from(text("half"))),
            pull: (controller) => controller.error(new Error("the connection broke")),
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    });
    const { code, out, requests } = await run(`${ask} --usage --retries 3`, service);
    expect({ code, out, requests: requests.length }).toEqual({ code: 9, out: "half\n", requests: 1 });
  });

  test("is kept as incomplete if the user stops it", async () => {
    const stop = new AbortController();
    const { run } = await createCli({
      respond: () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(Buffer.from(text("half"))),
            pull: () => {
              stop.abort(new Error("interrupted"));
              return new Promise(() => {});
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    });
    const { code, out, err } = await run(ask, { ...service, signal: stop.signal });
    expect({ code, out }).toEqual({ code: 130, out: "half\n" });
    expect(err).toContain("The answer is incomplete");
  });

  test.each([
    ["the response begins", undefined],
    ["the first text", event(choice({ role: "assistant", content: "" }))],
  ])("is reported as possibly charged for if the user stops it before %s", async (_, first) => {
    const stop = new AbortController();
    const { run } = await createCli({
      respond: () => {
        const wait = () => {
          stop.abort(new Interrupted());
          return new Promise<never>(() => {});
        };
        if (first === undefined) return wait();
        const body = new ReadableStream({
          start: (controller) => controller.enqueue(Buffer.from(first)),
          pull: wait,
        });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      },
    });
    const { code, out, err } = await run(ask, { ...service, signal: stop.signal });
    expect({ code, out }).toEqual({ code: 130, out: "" });
    expect(err).toContain("interrupted after the request was sent");
    expect(err).toContain("You may have been charged, and a retry sends a new request.");
    expect(err).not.toContain("saved");
  });

  test.each([
    ["in a field of its own", event(choice({ reasoning_content: "Hm" }))],
    ["in <think> tags", text("<think>Hm")],
  ])("is kept if the user stops it while reasoning arrives %s", async (_, thought) => {
    const stop = new AbortController();
    const { run } = await createCli({
      respond: () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(Buffer.from(thought)),
            pull: () => {
              stop.abort(new Interrupted());
              return new Promise(() => {});
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    });
    const { code, err } = await run(ask, { ...service, signal: stop.signal });
    expect(code).toBe(130);
    const [, path = ""] = /The incomplete response was saved to (\S*)\. /.exec(err) ?? [];
    expect(await readFile(path, "utf8")).toBe(thought);
  });

  test.each([
    ["in a field of its own", event(choice({ reasoning_content: "Hm" }))],
    ["in <think> tags", text("<think>") + text("Hm")],
  ])("is kept if it is cut off while reasoning arrives %s", async (_, thought) => {
    const { run } = await createCli({ respond: () => streaming(thought) });
    const { code, err } = await run(ask, service);
    expect(code).toBe(9);
    const [, path = ""] = /The response was saved to (\S*)\.\n/.exec(err) ?? [];
    expect(await readFile(path, "utf8")).toBe(thought);
  });
});

describe("a streamed answer is the same wherever its bytes are split", () => {
  const body = Buffer.from(
    (
      event(choice({ role: "assistant", content: "" })) +
      [..."<think>h🖥m</think>\n\n# Né\n\n二"].map(text).join("") +
      `: ping\n\n${end("stop")}` +
      event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }) +
      done
    ).replaceAll("\n\n", "\r\n\r\n"),
  );
  const piecesOf = (places: readonly number[]): readonly Uint8Array[] => {
    const at = [0, ...[...places].sort((a, b) => a - b), body.length];
    return at.slice(1).map((to, index) => body.subarray(at[index], to));
  };

  test("for the whole command", async () => {
    let places: readonly number[] = [...body.keys()];
    const { run } = await createCli({ respond: () => streaming(...piecesOf(places)) });
    const expected = { code: 0, out: "# Né\n\n二\n", err: "h🖥m\nTokens: 1 in, 2 out\n" };
    expect(await run(`${ask} --usage`, service)).toMatchObject(expected);
    for (let place = 1; place < body.length; place += 53) {
      places = [place];
      expect(await run(`${ask} --usage`, service)).toMatchObject(expected);
    }
  });

  const expected = {
    text: "# Né\n\n二",
    reasoning: "h🖥m",
    finish: "stop",
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  };
  const read = async (places: readonly number[]) => {
    const assembler = createAssembler();
    async function* pieces() {
      yield* piecesOf(places);
    }
    const events = Object.assign(serverEvents(pieces(), responseLimits.part), {
      received: () => undefined,
      interrupted: () => undefined,
    });
    for await (const chunk of completionChunks(events)) assembler.add(chunk.body);
    assembler.flush();
    return assembler.assembled();
  };

  test("into two pieces", async () => {
    for (let place = 1; place < body.length; place++) expect(await read([place])).toMatchObject(expected);
  });

  test("into any number of pieces", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: body.length }), { maxLength: 40 }), async (places) => {
        expect(await read(places)).toMatchObject(expected);
      }),
    );
  });
});

test("white space before an answer takes the same time for each chunk, however much has already arrived", () => {
  const assembler = createAssembler();
  const chunk = { choices: [{ delta: { content: " ".repeat(50) } }] };
  const started = process.cpuUsage();
  for (let count = 0; count < 40_000; count += 1) assembler.add(chunk);
  assembler.add({ choices: [{ delta: { content: "<think>Hm</think>a" } }] });
  assembler.flush();
  expect(assembler.assembled()).toMatchObject({ text: "a", reasoning: "Hm" });
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
});
