import { createParser } from "eventsource-parser";
import { routes } from "../contract/generated/routes.ts";
import type { InputOf, OperationId } from "../contract/index.ts";
import { asList, asRecord, asText, isRecord, parseJson } from "../core/json.ts";
import { ResponseTooLarge, StreamTruncated, UnknownOutcome } from "../core/service-errors.ts";
import { stringifyExactly } from "../core/values/exact-numbers.ts";
import { type ReadResponse, type RequestInFlight, sendRequest } from "./attempt.ts";
import { unreadableResponse } from "./failure.ts";
import { type FetchResponse, readStart, readText, withIdleTimeout } from "./fetch.ts";
import { keyRedactor, requestParts, wireRequest } from "./request.ts";
import type { CallOptions } from "./send.ts";

export interface ServerEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Sends an operation whose response is a stream of events. */
export type Stream = <Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
) => Promise<AsyncIterable<ServerEvent>>;

/**
 * Sends an operation and returns the events of its response. A plain JSON response becomes a single event. Never
 * retried. Until the first event it throws what `call` throws; after that `StreamTruncated` when the stream breaks,
 * `UnknownOutcome` when it or one of its events is too large, or the signal's reason when the user interrupts.
 */
export async function stream<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions,
): Promise<AsyncIterable<ServerEvent>> {
  const { target, signal } = options;
  const request = wireRequest(requestParts(routes[id], input), target, "text/event-stream, application/json");
  return sendRequest(request, readEvents, { ...options, retries: 0 }).catch((cause) => {
    signal?.throwIfAborted();
    throw cause;
  });
}

const readEvents: ReadResponse<AsyncIterable<ServerEvent>> = async (response, inFlight) => {
  const { deadline, limits, request } = inFlight;
  if (response.headers.get("content-type")?.includes("text/html")) {
    const { text } = await readStart(response, deadline, limits.failure);
    throw unreadableResponse(response.status, text, request);
  }
  inFlight.keepOpen();
  return events(response, inFlight);
};

async function* events(
  response: FetchResponse,
  { request, deadline, signal, limits, received }: RequestInFlight,
): AsyncGenerator<ServerEvent> {
  const redact = keyRedactor(request);
  const maxBytes = limits.body[request.effect];
  try {
    if (response.headers.get("content-type")?.includes("application/json")) {
      yield { event: undefined, data: redact(await readText(response, deadline, maxBytes)) };
      return;
    }
    const body = atMost(maxBytes, withIdleTimeout(response, deadline));
    for await (const event of serverEvents(body, limits.part)) {
      yield { ...event, data: redact(event.data) };
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ResponseTooLarge) {
      throw new UnknownOutcome(cause.message, response.status, request, { received: received() });
    }
    const reason = deadline.signal.aborted ? deadline.signal.reason : cause;
    throw new StreamTruncated(String(reason?.message ?? reason));
  } finally {
    deadline.clear();
  }
}

/** Passes a body on. Throws `ResponseTooLarge` beyond `maxBytes`. */
async function* atMost(maxBytes: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new ResponseTooLarge(maxBytes);
    yield chunk;
  }
}

/**
 * The server-sent events of a body, including a final event without a trailing blank line. Throws `ResponseTooLarge` for an
 * event with more characters than `maxLength`.
 */
export async function* serverEvents(
  body: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const ready: ServerEvent[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent: ({ event, data }) => ready.push({ event, data }),
    onError: ({ type }) => {
      isTooLarge ||= type === "max-buffer-size-exceeded";
    },
  });
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
    if (isTooLarge) throw new ResponseTooLarge(maxLength);
  }
  parser.feed(`${decoder.decode()}\n\n`);
  yield* ready.splice(0);
}

/** One event of a chat stream, or a whole chat completion. Every part may be missing. */
export interface CompletionChunk {
  readonly text: string;
  /** The finish reason, in the last event. */
  readonly finish: string | undefined;
  readonly usage: Usage | undefined;
  /** The event as received. */
  readonly body: unknown;
}

interface Usage {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
}

/**
 * The chunks of a chat completion. Throws `StreamTruncated` when an event reports a failure, or when the stream ends
 * without `[DONE]` or a finish reason: the chunks yielded so far are then incomplete.
 */
export async function* completionChunks(events: AsyncIterable<ServerEvent>): AsyncGenerator<CompletionChunk> {
  let finished = false;
  for await (const event of events) {
    if (event.data.trim() === "[DONE]") return;
    const body = parseJson(event.data);
    const chunk = readChunk(body);
    finished ||= chunk.finish !== undefined;
    if (body !== undefined) yield chunk;
    const failure = failureIn(event, body);
    if (failure !== undefined) throw new StreamTruncated(failure);
  }
  if (!finished) throw new StreamTruncated("the stream ended early");
}

function failureIn({ event, data }: ServerEvent, body: unknown): string | undefined {
  const { error = null } = asRecord(body);
  if (error !== null) return asText(asRecord(error).message) || stringifyExactly(error);
  if (event === "error") return data;
  return body === undefined ? `invalid JSON in the stream: ${data.slice(0, 80)}` : undefined;
}

/** Reads an event or a whole completion; only the first choice counts. */
export function readChunk(body: unknown): CompletionChunk {
  const chunk = asRecord(body);
  const choice = asList(chunk.choices)
    .filter(isRecord)
    .find(({ index }) => index === undefined || index === 0);
  const message = [choice?.delta, choice?.message].find(isRecord);
  return {
    text: asText(message?.content),
    finish: asText(choice?.finish_reason) || undefined,
    usage: isRecord(chunk.usage) ? chunk.usage : undefined,
    body,
  };
}
