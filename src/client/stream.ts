import { createParser } from "eventsource-parser";
import { routes } from "../contract/generated/routes.ts";
import type { InputOf, OperationId } from "../contract/index.ts";
import { parseJson } from "../core/json.ts";
import {
  InterruptedWrite,
  type Received,
  ResponseTooLarge,
  StreamTruncated,
  UnknownOutcome,
} from "../core/service-errors.ts";
import { type ReadResponse, type RequestInFlight, sendRequest } from "./attempt.ts";
import { unreadableResponse } from "./failure.ts";
import { type FetchResponse, firstCharacter, readStart, readText, withIdleTimeout } from "./fetch.ts";
import { keyRedactor, requestParts, wireRequest } from "./request.ts";
import type { CallOptions } from "./send.ts";

export interface ServerEvent {
  readonly event: string | undefined;
  readonly data: string;
  /** Set if the event is the whole response, which is then plain JSON. */
  readonly whole?: true;
}

/** The events of the response to a paid request. */
export interface ServerEvents extends AsyncIterable<ServerEvent> {
  /** Returns what has arrived of the response so far; undefined if nothing has. */
  readonly received: () => Received | undefined;
  /**
   * If the user has interrupted the request, returns an error that holds `received`; otherwise undefined.
   */
  readonly interrupted: (received: Received | undefined) => InterruptedWrite | undefined;
}

/** Sends an operation whose response is a stream of events. The signal aborts only this request. */
export type Stream = <Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options?: Pick<CallOptions, "signal">,
) => Promise<ServerEvents>;

/**
 * Sends an operation and returns the events of its response. A plain JSON response becomes a single event. The request
 * is never retried. Before the response begins, `stream` throws the same errors as `call`. After that, the iteration
 * throws `StreamTruncated` if the stream breaks, `UnknownOutcome` if the stream or one of its events is too large or a
 * plain response is not valid JSON, or the signal's reason if the user interrupts.
 */
export async function stream<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions,
): Promise<ServerEvents> {
  const { target } = options;
  const request = wireRequest(requestParts(routes[id], input), target, "text/event-stream, application/json");
  return sendRequest(request, readEvents, { ...options, retries: 0 });
}

const readEvents: ReadResponse<ServerEvents> = async (response, inFlight) => {
  const { deadline, limits, request, signal } = inFlight;
  if (response.headers.get("content-type")?.includes("text/html")) {
    const { text } = await readStart(response, deadline, limits.failure);
    throw unreadableResponse(response.status, text, request);
  }
  inFlight.keepOpen();
  return Object.assign(events(response, inFlight), {
    received: inFlight.received,
    interrupted: (received: Received | undefined) =>
      signal?.aborted ? new InterruptedWrite(request, received) : undefined,
  });
};

async function* events(
  response: FetchResponse,
  { request, deadline, signal, limits, received }: RequestInFlight,
): AsyncGenerator<ServerEvent> {
  const redact = keyRedactor(request);
  const maxBytes = limits.body[request.effect];
  try {
    const chunks = atMost(maxBytes, withIdleTimeout(response, deadline, dataFinder()));
    const { first, body } = await firstCharacter(chunks);
    // The media type is not reliable: some services label JSON as text, or events as JSON.
    if (first === "{" || first === "[") {
      const text = redact(await readText({ body }, deadline, maxBytes));
      if (parseJson(text) === undefined) throw unreadableResponse(response.status, text, request);
      yield { event: undefined, data: text, whole: true };
      return;
    }
    for await (const event of serverEvents(body, limits.part)) {
      yield { ...event, data: redact(event.data) };
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ResponseTooLarge || cause instanceof UnknownOutcome) {
      throw new UnknownOutcome(cause.message, response.status, request, { received: received() });
    }
    const reason = deadline.signal.aborted ? deadline.signal.reason : cause;
    throw new StreamTruncated(String(reason?.message ?? reason), received());
  } finally {
    deadline.clear();
  }
}

/**
 * Returns a function that says whether a chunk of a stream has data. Comments are not data: they keep a connection open
 * even if the service is stuck.
 */
function dataFinder(): (chunk: Uint8Array) => boolean {
  const field = "data";
  let unfinished = "";
  return (chunk) => {
    const lines = `${unfinished}${Buffer.from(chunk).toString("latin1")}`.split(/[\r\n]/);
    unfinished = lines.at(-1)?.slice(0, field.length) ?? "";
    return lines.some((line) => line.startsWith(field));
  };
}

/** Yields a body unchanged. Throws `ResponseTooLarge` if it has more than `maxBytes`. */
async function* atMost(maxBytes: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new ResponseTooLarge(maxBytes);
    yield chunk;
  }
}

/**
 * Returns a function that adds an empty comment and an empty line of data to each event called `error`. The parser drops
 * events without data, but some services describe an error only in a comment. The empty comment separates it from earlier
 * comments, which only keep the connection open.
 */
function dataForErrors(): (chunk: string) => string {
  const isError = (line: string) => /^event: ?error$/.test(line);
  const maxLength = "event: error ".length;
  /** The start of the line that has not ended. */
  let start = "";
  return (chunk) => {
    const before = start;
    const end = Math.max(chunk.lastIndexOf("\n"), chunk.lastIndexOf("\r")) + 1;
    start = `${end === 0 ? before : ""}${chunk.slice(end, end + maxLength)}`.slice(0, maxLength);
    if (!`${before}${chunk}`.includes("event:")) return chunk;
    // Lines, and between them the characters that end them.
    const parts = chunk.split(/([\r\n])/);
    return parts
      .map((part, at) => {
        const hasEnded = at < parts.length - 1;
        return hasEnded && isError(at === 0 ? before + part : part) ? `${part}\n:\ndata:` : part;
      })
      .join("");
  };
}

/**
 * Yields the server-sent events of a body, including a final event without a trailing blank line. Throws
 * `ResponseTooLarge` if an event has more than about `maxLength` characters.
 */
export async function* serverEvents(
  body: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const ready: ServerEvent[] = [];
  const withData = dataForErrors();
  let comment = "";
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent: ({ event, data }) => {
      ready.push({ event, data: event === "error" ? data.replace(/^\n/, "") || comment : data });
      comment = "";
    },
    onComment: (text) => {
      comment = text;
    },
    onError: ({ type, field, value = "", line }) => {
      isTooLarge ||= type === "max-buffer-size-exceeded";
      // Some services write an error into the stream as bare JSON, without `data:`. Older versions of llama.cpp's
      // server write `error:` instead of `data:`.
      if (type === "unknown-field" && line?.startsWith("{")) ready.push({ event: undefined, data: line });
      else if (field === "error") ready.push({ event: "error", data: value });
    },
  });
  for await (const chunk of body) {
    parser.feed(withData(decoder.decode(chunk, { stream: true })));
    yield* ready.splice(0);
    if (isTooLarge) throw new ResponseTooLarge(maxLength);
  }
  parser.feed(withData(`${decoder.decode()}\n\n`));
  yield* ready.splice(0);
}
