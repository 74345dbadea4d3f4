import { createParser } from "eventsource-parser";
import { routes } from "../contract/generated/routes.ts";
import type { InputOf, OperationId } from "../contract/index.ts";
import { asList, asRecord, asText, isRecord, parseJson } from "../core/json.ts";
import { type Received, ResponseTooLarge, StreamTruncated, UnknownOutcome } from "../core/service-errors.ts";
import { serviceErrorIn } from "../core/success.ts";
import { stringifyExactly } from "../core/values/exact-numbers.ts";
import { type ReadResponse, type RequestInFlight, sendRequest } from "./attempt.ts";
import { unreadableResponse } from "./failure.ts";
import { type FetchResponse, firstCharacter, readStart, readText, withIdleTimeout } from "./fetch.ts";
import { keyRedactor, requestParts, wireRequest } from "./request.ts";
import type { CallOptions } from "./send.ts";

export interface ServerEvent {
  readonly event: string | undefined;
  readonly data: string;
  /** The event is the whole response: plain JSON. */
  readonly whole?: true;
}

/** The events of a response that is paid for. */
export interface ServerEvents extends AsyncIterable<ServerEvent> {
  /** What arrived of the response so far; undefined for nothing. */
  readonly received: () => Received | undefined;
}

/** Sends an operation whose response is a stream of events. */
export type Stream = <Id extends OperationId>(id: Id, input: InputOf<Id>) => Promise<ServerEvents>;

/**
 * Sends an operation and returns the events of its response. A plain JSON response becomes a single event. Never
 * retried. Until the first event it throws what `call` throws; after that `StreamTruncated` when the stream breaks,
 * `UnknownOutcome` when it or one of its events is too large, or the signal's reason when the user interrupts.
 */
export async function stream<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions,
): Promise<ServerEvents> {
  const { target, signal } = options;
  const request = wireRequest(requestParts(routes[id], input), target, "text/event-stream, application/json");
  return sendRequest(request, readEvents, { ...options, retries: 0 }).catch((cause) => {
    signal?.throwIfAborted();
    throw cause;
  });
}

const readEvents: ReadResponse<ServerEvents> = async (response, inFlight) => {
  const { deadline, limits, request } = inFlight;
  if (response.headers.get("content-type")?.includes("text/html")) {
    const { text } = await readStart(response, deadline, limits.failure);
    throw unreadableResponse(response.status, text, request);
  }
  inFlight.keepOpen();
  return Object.assign(events(response, inFlight), { received: inFlight.received });
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
    // The media type is not reliable: services label JSON as text, and events as JSON.
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
 * Returns a function that tells whether a chunk of a stream has data. Comments keep a connection open, also one to a service
 * that is stuck.
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
 * The chunks of a chat completion. Throws `StreamTruncated` when an event reports a failure or cannot be read, or when the
 * stream ends without `[DONE]` or a finish reason: the chunks yielded so far are then incomplete. The error has what
 * arrived, unless that is the text of the chunks.
 */
export async function* completionChunks(events: ServerEvents): AsyncGenerator<CompletionChunk> {
  let finished = false;
  let hasText = false;
  let unreadable: string | undefined;
  const truncated = (reason: string) =>
    new StreamTruncated(reason, hasText && unreadable === undefined ? undefined : events.received());
  try {
    for await (const event of separated(events)) {
      if (event.data.trim() === "[DONE]") {
        finished = true;
        break;
      }
      const body = parseJson(event.data);
      const chunk = readChunk(body);
      finished ||= chunk.finish !== undefined || event.whole === true;
      hasText ||= chunk.text !== "";
      if (body !== undefined) yield chunk;
      const failure = failureIn(event, body);
      if (failure !== undefined) throw truncated(failure);
      // What comes after it was paid for, too.
      if (body === undefined) unreadable ??= `invalid JSON in the stream: ${event.data.slice(0, 80)}`;
    }
  } catch (cause) {
    const isComplete = cause instanceof StreamTruncated && hasText && unreadable === undefined;
    throw isComplete ? cause.withoutResponse() : cause;
  }
  if (unreadable !== undefined || !finished) throw truncated(unreadable ?? "the stream ended early");
}

/** The events; those that the service did not separate by blank lines arrive as the lines of one event. */
async function* separated(events: AsyncIterable<ServerEvent>): AsyncGenerator<ServerEvent> {
  for await (const event of events) {
    const lines = event.data.split("\n").filter((line) => line.trim() !== "");
    const isOne = lines.length < 2 || parseJson(event.data) !== undefined;
    if (isOne) yield event;
    else if (lines.every((line) => line.trim() === "[DONE]" || isRecord(parseJson(line))))
      for (const data of lines) yield { ...event, data };
    else yield event;
  }
}

function failureIn({ event, data }: ServerEvent, body: unknown): string | undefined {
  const { error = null } = asRecord(body);
  if (error !== null) return asText(asRecord(error).message) || stringifyExactly(error);
  if (event === "error") return data;
  return serviceErrorIn(body);
}

/** Reads an event or a whole completion; only the first choice counts. */
export function readChunk(body: unknown): CompletionChunk {
  const choice = choiceIn(body);
  const { usage } = asRecord(body);
  return {
    text: textOf(messageIn(choice)?.content),
    finish: asText(choice?.finish_reason) || undefined,
    usage: isRecord(usage) ? usage : undefined,
    body,
  };
}

const choiceIn = (body: unknown) =>
  asList(asRecord(body).choices)
    .filter(isRecord)
    .find(({ index }) => index === undefined || index === 0);

const messageIn = (choice: ReturnType<typeof choiceIn>) => [choice?.delta, choice?.message].find(isRecord);

/** A text, or the texts of a list of parts. */
const textOf = (content: unknown): string =>
  asText(content) ||
  asList(content)
    .map((part) => asText(asRecord(part).text))
    .join("");

/**
 * What an event or a whole completion says: a text, something else such as a tool call or reasoning, nothing, or undefined
 * if it is not part of a completion.
 */
export function contentOf(body: unknown): "text" | "other" | "nothing" | undefined {
  const choice = choiceIn(body);
  if (choice === undefined) return undefined;
  const message = messageIn(choice);
  if (message === undefined) return "other";
  const { role: _, content, ...others } = message;
  if (textOf(content) !== "") return "text";
  return [content, ...Object.values(others)].every(isNothing) ? "nothing" : "other";
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
