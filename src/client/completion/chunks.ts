import { asList, asRecord, asText, isRecord, parseJson, scalarText, shownAt } from "../../core/json.ts";
import { failureIn as errorIn, serviceErrorIn } from "../../core/responses/success.ts";
import { StreamTruncated } from "../../core/service-errors.ts";
import { stringifyExactly } from "../../core/values/exact-numbers.ts";
import type { TokenCounts } from "../../core/values/prices.ts";
import type { ServerEvent, ServerEvents } from "../stream.ts";
import { splitThinking } from "./thinking.ts";

/** One event of a chat stream, or a whole chat completion. Every part may be missing. */
export interface CompletionChunk {
  readonly text: string;
  /** Reasoning that the service sends in a field of its own. */
  readonly reasoning: string;
  /** The finish reason. Undefined until the model has finished. */
  readonly finish: string | undefined;
  readonly usage: TokenCounts | undefined;
  /** The event as received. */
  readonly body: unknown;
}

interface ReceivedChunk extends CompletionChunk {
  /** Whether the chunk is the whole response, which is then plain JSON. */
  readonly isWhole: boolean;
}

/**
 * Yields the chunks of a chat completion. Throws `StreamTruncated` if an event reports a failure or cannot be read, or
 * if the stream ends with neither `[DONE]` nor a finish reason. The chunks yielded so far are then only a part of the
 * completion. The error carries the raw response only if no text was yielded, or if an event could not be read. Throws
 * `InterruptedWrite` if the user interrupts before the first text, and the signal's reason if the user interrupts
 * later. Here, reasoning in `<think>` tags is not text. An `UnknownOutcome` of the stream is thrown unchanged.
 */
export async function* completionChunks(events: ServerEvents): AsyncGenerator<ReceivedChunk> {
  let finished = false;
  let hasText = false;
  let hasOther = false;
  const thinking = splitThinking();
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
      if (body === undefined && isKeepAlive(event)) continue;
      const chunk = readChunk(body);
      finished ||= chunk.finish !== undefined || event.whole === true;
      if (!hasText) {
        const pieces = thinking.add(chunk.text).filter(({ text }) => text !== "");
        hasText = pieces.some(({ kind }) => kind === "text");
        hasOther ||= contentOf(body) === "other" || pieces.length > 0;
      }
      if (body !== undefined) yield { ...chunk, isWhole: event.whole === true };
      const failure = eventFailure(event, body);
      if (failure !== undefined) throw truncated(failure);
      // Keep reading after invalid JSON, because the rest was paid for, too.
      if (body === undefined) unreadable ??= `invalid JSON in the stream: ${event.data.slice(0, 80)}`;
    }
  } catch (cause) {
    // The first events often have no content. In that case, they are not saved to a file.
    const interrupted = hasText ? undefined : events.interrupted(hasOther ? events.received() : undefined);
    if (interrupted) throw interrupted;
    const isComplete = cause instanceof StreamTruncated && hasText && unreadable === undefined;
    throw isComplete ? cause.withoutResponse() : cause;
  }
  if (unreadable !== undefined || !finished) throw truncated(unreadable ?? "the stream ended early");
}

/** Whether an event that is not JSON only keeps the connection open: it has no data, or a name such as `ping`. */
const isKeepAlive = ({ event = "message", data }: ServerEvent): boolean =>
  event !== "error" && (data.trim() === "" || event !== "message");

/** Splits events that the service did not separate by blank lines. */
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

/**
 * The failure that a whole chat completion reports; undefined if it reports none. A gateway may send an error with
 * status 200, even together with text that was generated before the failure.
 */
export const completionFailure = (body: unknown): string | undefined => failureIn(body) ?? errorIn(body);

/** The failure that an event reports; undefined if it reports none. */
function eventFailure({ event, data }: ServerEvent, body: unknown): string | undefined {
  const { object, type, choices } = asRecord(body);
  const isError = event === "error" || (choices === undefined && [object, type].includes("error"));
  const text = () => (body === undefined ? data : errorText(body)) || "the service reported an error";
  return failureIn(body) ?? serviceErrorIn(body) ?? (isError ? text() : undefined);
}

function failureIn(body: unknown): string | undefined {
  const { error = null, x_groq: ofGroq } = asRecord(body);
  if (error !== null) return errorText(error);
  // Groq says here why it stopped a stream early.
  const { error: stopped = null } = asRecord(ofGroq);
  if (stopped !== null && stopped !== "") return errorText(stopped);
  const { error: ofChoice = null, finish_reason: finish } = choiceIn(body) ?? {};
  if (ofChoice !== null) return errorText(ofChoice);
  if (failedFor.has(asText(finish))) return `the model stopped because of ${JSON.stringify(finish)}`;
  return undefined;
}

/** Finish reasons with which services report that generating failed or was interrupted. */
const failedFor: ReadonlySet<string> = new Set(["error", "insufficient_system_resource", "abort", "aborted"]);

/** The text of an error in a response. The error is a string, or an object with a message and perhaps a code. */
function errorText(error: unknown): string {
  const { message } = asRecord(error);
  const code = scalarText(shownAt(error, ["code"]));
  const text = asText(message) || asText(error) || (stringifyExactly(error) ?? "");
  return asText(message) !== "" && code !== "" ? `${text} (code ${code})` : text;
}

/** Reads an event or a whole completion; only the first choice counts. */
export function readChunk(body: unknown): CompletionChunk {
  const choice = choiceIn(body);
  const message = messageIn(choice);
  const { usage, x_groq: ofGroq } = asRecord(body);
  return {
    text: textOf(message?.content),
    reasoning: asText(message?.reasoning_content) || asText(message?.reasoning),
    finish: finishOf(choice),
    usage: [usage, asRecord(ofGroq).usage].find(isRecord),
    body,
  };
}

const choiceIn = (body: unknown) =>
  asList(asRecord(body).choices)
    .filter(isRecord)
    .find(({ index = null }) => index === null || index === 0);

/** The finish reason of a choice. Some services, such as KoboldCpp until 2025, write "null" as text. */
function finishOf(choice: ReturnType<typeof choiceIn>): string | undefined {
  const finish = asText(choice?.finish_reason);
  return finish === "" || finish === "null" ? undefined : finish;
}

/** The content of a choice: the `delta` of an event, or the `message` of a whole completion. */
const messageIn = (choice: ReturnType<typeof choiceIn>) => [choice?.delta, choice?.message].find(isRecord);

/** The text of a message: a string, or the joined texts of a list of parts. */
const textOf = (content: unknown): string =>
  asText(content) ||
  asList(content)
    .map((part) => asText(asRecord(part).text))
    .join("");

/**
 * The kind of content in an event or a whole completion: `text`, `other` (such as a tool call or reasoning) or
 * `nothing`. A first choice with neither a `delta` nor a `message` counts as `other`. Undefined if there is no first
 * choice.
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

/**
 * The tool calls in an event or a whole completion. In an event, each may be only a part of a call. Some services send
 * a single call as `function_call` instead of a list.
 */
export function toolCallsIn(body: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { tool_calls, function_call } = messageIn(choiceIn(body)) ?? {};
  return [...asList(tool_calls), ...(isRecord(function_call) ? [{ function: function_call }] : [])].filter(
    isRecord,
  );
}
