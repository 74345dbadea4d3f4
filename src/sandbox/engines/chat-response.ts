import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { SSEMessage, SSEStreamingApi } from "hono/streaming";
import { delay } from "../faults/inject.ts";
import { type Exchange, type PlainRequest, PlainResponse } from "../http/exchange.ts";

/** A tool call, in the common chat-completions format. */
interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A model's reply. */
export interface ModelReply {
  /** The text; empty if there is none. */
  readonly tokens: readonly string[];
  readonly reasoning?: readonly string[];
  readonly toolCalls?: readonly ToolCall[];
  readonly finishReason: string | null;
  /** Null if the response has no usage. */
  readonly usage: object | null;
  /** Milliseconds of real time before the first token, and between two tokens. */
  readonly firstTokenMs?: number;
  readonly betweenTokensMs?: number;
  /**
   * If set, the response breaks off. A stream ends after the contents and `event`, if there is one, without a finish
   * reason and without [DONE]. A response that is not a stream ends in the middle of its JSON.
   */
  readonly breaksOff?: { readonly event?: SSEMessage };
}

interface Completion {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
}

interface Wanted {
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

/** Sends a reply in the common chat-completions format, as server-sent events if the request wants a stream. */
export function sendReply(
  { request }: Exchange,
  common: Completion,
  reply: ModelReply,
  wanted: Wanted,
): Promise<PlainResponse> {
  return wanted.stream ? sendStream(common, reply, wanted) : sendWhole(request, common, reply);
}

async function sendWhole(
  { signal }: PlainRequest,
  common: Completion,
  reply: ModelReply,
): Promise<PlainResponse> {
  const { tokens, reasoning, toolCalls, finishReason, usage, firstTokenMs = 0, betweenTokensMs = 0 } = reply;
  const between = Math.max(0, deltasOf(reply).length - 1) * betweenTokensMs;
  if (firstTokenMs + between > 0) await delay(firstTokenMs + between, signal);
  const message = {
    role: "assistant",
    content: tokens.length === 0 && toolCalls ? null : tokens.join(""),
    ...(reasoning && { reasoning_content: reasoning.join("") }),
    ...(toolCalls && { tool_calls: toolCalls }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason }];
  const body = { ...common, object: "chat.completion", choices, ...(usage && { usage }) };
  if (!reply.breaksOff) return PlainResponse.json(body);
  const text = JSON.stringify(body);
  return new PlainResponse(text.slice(0, text.length / 2), {
    headers: { "content-type": "application/json" },
  });
}

async function sendStream(
  common: Completion,
  reply: ModelReply,
  { includeUsage }: Wanted,
): Promise<PlainResponse> {
  const { finishReason, usage, firstTokenMs = 0, betweenTokensMs = 0, breaksOff } = reply;
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...common,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const end = [
    chunk({}, finishReason),
    ...(includeUsage && usage ? [{ ...chunk({}), choices: [], usage }] : []),
  ];
  return streamEvents(async (events) => {
    const stopped = new AbortController();
    events.onAbort(() => stopped.abort());
    const pause = async (milliseconds: number): Promise<void> => {
      if (milliseconds > 0) await wait(milliseconds, undefined, { signal: stopped.signal }).catch(() => {});
    };
    const send = (data: object) => events.writeSSE({ data: JSON.stringify(data) });
    await pause(firstTokenMs);
    await send(chunk({ role: "assistant", content: "" }));
    for (const [index, delta] of deltasOf(reply).entries()) {
      if (index > 0) await pause(betweenTokensMs);
      // If the client reads quickly, the other `await`s here may not let the event loop continue. Without this one,
      // nothing else could run until the end of the stream.
      if (index % eventsPerTurn === 0) await nextTurn();
      if (events.aborted) return;
      await send(chunk(delta));
    }
    if (breaksOff) {
      if (breaksOff.event) await events.writeSSE(breaksOff.event);
      return;
    }
    for (const one of end) await send(one);
    await events.writeSSE({ data: "[DONE]" });
  });
}

/** After this many events, a stream lets the event loop handle other requests and signals. */
const eventsPerTurn = 64;

/** A response with the events that `write` sends. */
async function streamEvents(write: (events: SSEStreamingApi) => Promise<void>): Promise<PlainResponse> {
  const { SSEStreamingApi } = await import("hono/streaming");
  const { readable, writable } = new TransformStream();
  const events = new SSEStreamingApi(writable, readable);
  void write(events).finally(() => events.close());
  const headers = {
    "transfer-encoding": "chunked",
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    connection: "keep-alive",
  };
  return new PlainResponse(events.responseReadable, { headers });
}

/** The contents of a reply as the deltas of a stream: reasoning, text, then tool calls. */
const deltasOf = ({ tokens, reasoning = [], toolCalls = [] }: ModelReply): readonly object[] => [
  ...reasoning.map((reasoning_content) => ({ reasoning_content })),
  ...tokens.map((content) => ({ content })),
  ...toolCalls.flatMap((call, index) => [
    { tool_calls: [{ ...call, index, function: { ...call.function, arguments: "" } }] },
    ...pieces(call.function.arguments).map((text) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    })),
  ]),
];

/** The ID and the name of a tool call are sent first. Its arguments follow in pieces of up to this many characters. */
const pieceLength = 8;

const pieces = (text: string): readonly string[] =>
  text.match(new RegExp(`.{1,${pieceLength}}`, "gsu")) ?? [];
