import { routes } from "../contract/generated/routes.ts";
import type { InputOf, OperationId } from "../contract/index.ts";
import type { CallOptions } from "./call-options.ts";
import { type Deadline, deadline, orAborted } from "./deadline.ts";
import { AnswerCut } from "./errors.ts";
import { sendHead } from "./exchange.ts";
import { type FetchAnswer, readText } from "./fetch.ts";
import { lively } from "./lively.ts";
import { failedAnswer, failedSending, unreadable } from "./outcome.ts";
import { type WireRequest, wireRequest, withoutKey } from "./request.ts";
import { type ServerEvent, serverEvents } from "./sse.ts";

/** One operation and its input in, the events of its answer out. */
export type Stream = <Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
) => Promise<AsyncIterable<ServerEvent>>;

/**
 * Sends an operation and gives back the events of its answer. A service that answers with plain JSON instead makes
 * one event of it. Never tried again. Before the first event it throws what `call` throws; a stream that breaks
 * later throws `AnswerCut`, and one that the user interrupts the reason of the signal.
 */
export async function stream<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  { fetch, target, timeout, signal, observe }: CallOptions,
): Promise<AsyncIterable<ServerEvent>> {
  const route = routes[id];
  const request = wireRequest(route, { ...input }, target, "text/event-stream, application/json");
  const limit = deadline(timeout[route.host], signal);
  try {
    const answer = await sendHead(fetch, request, limit, observe);
    if (answer.status < 200 || answer.status > 299) {
      const text = await orAborted(readText(answer), limit.signal);
      throw failedAnswer(answer.status, text, request, answer.headers.get("location"));
    }
    if (answer.headers.get("content-type")?.includes("text/html")) {
      throw unreadable(answer.status, await orAborted(readText(answer), limit.signal), request);
    }
    return events(answer, { request, limit, signal });
  } catch (cause) {
    limit.clear();
    signal?.throwIfAborted();
    throw failedSending(cause, request);
  }
}

interface Streaming {
  readonly request: WireRequest;
  readonly limit: Deadline;
  readonly signal: AbortSignal | undefined;
}

async function* events(
  answer: FetchAnswer,
  { request, limit, signal }: Streaming,
): AsyncGenerator<ServerEvent> {
  try {
    if (answer.headers.get("content-type")?.includes("application/json")) {
      yield { event: undefined, data: await orAborted(readText(answer), limit.signal) };
      return;
    }
    for await (const event of serverEvents(lively(answer, limit))) {
      yield { ...event, data: withoutKey(event.data, request) };
    }
  } catch (cause) {
    signal?.throwIfAborted();
    const reason = limit.signal.aborted ? limit.signal.reason : cause;
    throw new AnswerCut(String(reason?.message ?? reason));
  } finally {
    limit.clear();
  }
}
