import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { requestIdHeader } from "../../client/attempt.ts";
import type { Prepare, RawCall } from "../../client/call.ts";
import { completionFailure, contentOf } from "../../client/completion/chunks.ts";
import type { PreparedWrite } from "../../client/prepared.ts";
import type { BufferedResponse } from "../../client/response.ts";
import { EmptyResult, ResultLost, reasonOf, StoredElsewhere } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import { assertValues, failureIn } from "../../core/responses/success.ts";
import {
  type FailedReply,
  InterruptedWrite,
  NetworkError,
  ServiceError,
  UnknownOutcome,
} from "../../core/service-errors.ts";
import { stringifyExactly } from "../../core/values/exact-numbers.ts";
import { type BatchRequest, type Endpoint, endpoints } from "../input/lines.ts";
import type { MediaOfLine, MediaOptions } from "./media.ts";
import type { Answer, KeptFile } from "./output.ts";
import type { NotSaved, Sent } from "./run.ts";

interface SendOptions extends MediaOptions {
  readonly request: RawCall;
  readonly prepare: Prepare;
}

/** Returns a function that sends one request of a batch, once. */
export function createSend(options: SendOptions): (line: BatchRequest) => Promise<Sent> {
  let preparing: Promise<PreparedWrite> | undefined;
  const sendChat = async (line: BatchRequest): Promise<Sent> => {
    preparing ??= options.prepare(partsOf("chat"));
    const send = await preparing;
    return outcomeOf(await send(bodyOf(line)), options);
  };
  return async (line) => {
    try {
      if (line.endpoint === "chat") return await sendChat(line);
      // Loaded only for media, because the decoders change V8's memory settings for the whole process.
      const { MediaOfLine } = await import("./media.ts");
      const media = new MediaOfLine(line, options);
      return await sendForMedia(line, options, media).finally(() => media.discard());
    } catch (error) {
      return withReceived(failed(error), error, options);
    }
  };
}

function partsOf(endpoint: Endpoint) {
  const { method, path, host, effect } = endpoints[endpoint];
  return { method, path, host, effect };
}

const bodyOf = ({ body }: BatchRequest): string => stringifyExactly(body) ?? "{}";

async function sendForMedia(line: BatchRequest, options: SendOptions, media: MediaOfLine): Promise<Sent> {
  const parts = { ...partsOf(line.endpoint), body: bodyOf(line) };
  const response = await options.request(parts, { reusesConnection: true, divert: media.divert });
  return outcomeOf(response, options, media);
}

/**
 * The outcome of a request whose response has arrived. If `resultOf` throws, the response is saved to a file, and the
 * request is not sent again, because it was paid for.
 */
async function outcomeOf(
  response: BufferedResponse,
  options: SendOptions,
  media?: MediaOfLine,
): Promise<Sent> {
  try {
    return await resultOf(response, options, media);
  } catch (error) {
    const bytes = media?.received(response.bytes) ?? response.bytes;
    const { text, ...file } = await kept(bytes, "response", options);
    return lost("UNUSABLE_RESPONSE", `the response cannot be used: ${reasonOf(error)}; ${text}`, file);
  }
}

/**
 * Saves the part of a response that arrived before the request ended with an error. The response may have been paid
 * for.
 */
async function withReceived(sent: Sent, error: unknown, options: SendOptions): Promise<Sent> {
  const isCut = error instanceof UnknownOutcome || error instanceof InterruptedWrite;
  const received = isCut ? error.received : undefined;
  if (sent.outcome !== "unknown" || sent.answer.error === undefined || received === undefined) return sent;
  const { code, message } = sent.answer.error;
  const { text, notSaved, ...file } = await kept(received.bytes, "incomplete response", options);
  return { ...sent, answer: { error: { code, message: `${message}; ${text}`, ...file } }, notSaved };
}

/** A file with a response that cannot be used. `notSaved` is set if the response is not in the folder for files. */
type KeptResponse = KeptFile & { readonly notSaved?: NotSaved };

/** Saves a response. `text` says where it is, or why it could not be saved. */
async function kept(
  bytes: Uint8Array,
  thing: string,
  { filesFolder, fallbackFolders, serviceNow }: SendOptions,
): Promise<KeptResponse & { readonly text: string }> {
  try {
    const { keep } = await import("../../media/keep.ts");
    const folders = [filesFolder, ...fallbackFolders];
    const path = await keep(bytes, { folders, date: new Date(serviceNow()), thing });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const text = `the ${thing} was saved to ${path}`;
    const isElsewhere = dirname(path) !== filesFolder;
    return { text, path, sha256, ...(isElsewhere && { notSaved: new StoredElsewhere(text) }) };
  } catch (cause) {
    return { text: reasonOf(cause), ...(cause instanceof ResultLost && { notSaved: cause }) };
  }
}

async function resultOf(
  response: BufferedResponse,
  options: SendOptions,
  media?: MediaOfLine,
): Promise<Sent> {
  const text = response.text();
  assertValues(text, response.maxValues);
  const value = parseJson(text);
  if (value === undefined) {
    // Bytes that are not valid UTF-8 could not be restored from text in the output, so the response is saved to a file.
    if (!isUtf8(response.bytes)) throw new Error("it is neither JSON nor text");
    const received = media?.received(Buffer.from(text)).toString() ?? text;
    return unusable("the response is not JSON", JSON.stringify(received), response);
  }
  const error = media ? failureIn(value) : completionFailure(value);
  if (error !== undefined) {
    const line = oneLine(text, value);
    return unusable(error, media?.receivedLine(line) ?? line, response);
  }
  if (media) {
    const { body, problem, received, notSaved } = await media.save(value, response.bytes);
    if (problem === undefined)
      return { outcome: "done", answer: { response: replyOf(response, body) }, value, notSaved };
    if (received === undefined) return unusable(problem, body, response, { notSaved });
    const { text: place, ...file } = await kept(received, "response", options);
    return unusable(`${problem}; ${place}`, body, response, { ...file, notSaved: notSaved ?? file.notSaved });
  }
  if (contentOf(value) === undefined) {
    return unusable("the response is not a chat completion", oneLine(text, value), response);
  }
  return { outcome: "done", answer: { response: replyOf(response, oneLine(text, value)) }, value };
}

const oneLine = (text: string, value: unknown): string =>
  text.includes("\n") || text.includes("\r") ? (stringifyExactly(value) ?? "null") : text;

const replyOf = (response: BufferedResponse, body: string): NonNullable<Answer["response"]> => ({
  status: response.status,
  requestId: response.header(requestIdHeader),
  body,
});

/** A response that was paid for, and that someone has to look at. */
function unusable(
  message: string,
  body: string,
  response: BufferedResponse,
  { notSaved, ...file }: KeptResponse = {},
): Sent {
  const code = "UNUSABLE_RESPONSE";
  return {
    outcome: "unknown",
    answer: { response: replyOf(response, body), error: { code, message, ...file } },
    code,
    slowsDown: false,
    notSaved,
  };
}

/** The outcome of a request that ended with an error. */
function failed(error: unknown): Sent {
  if (error instanceof NetworkError) return { outcome: "refused", error };
  if (error instanceof ServiceError) {
    if (error.status === 429) return { outcome: "refused", retryAfter: error.retryAfter, error };
    // The service would refuse all other lines, too.
    if (error.status === 401) return { outcome: "stop", error };
    return { outcome: "failed", answer: answerOf(error.reply, error.message), code: error.code };
  }
  if (error instanceof InterruptedWrite) return lost("INTERRUPTED", error.message);
  if (error instanceof EmptyResult) return lost("UNUSABLE_RESPONSE", error.message);
  if (!(error instanceof UnknownOutcome)) return { outcome: "stop", error };
  const { reply, message, status } = error;
  const code = reply ? `HTTP_${reply.status}` : "UNKNOWN_OUTCOME";
  return {
    outcome: "unknown",
    answer: withError(answerOf(reply, message), code, message),
    code,
    slowsDown: status === undefined || reply?.status === 503,
    retryAfter: reply?.retryAfter,
    error,
  };
}

const lost = (code: string, message: string, { notSaved, ...file }: KeptResponse = {}): Sent => ({
  outcome: "unknown",
  answer: { error: { code, message, ...file } },
  code,
  slowsDown: false,
  notSaved,
});

/**
 * Adds an error to a response with a status below 500. If this run is killed, the next run may know only the line of
 * the output. Without the error, the next run could count the request as rejected.
 */
const withError = (answer: Answer, code: string, message: string): Answer =>
  answer.response === undefined || answer.response.status >= 500
    ? answer
    : { ...answer, error: { code, message } };

/** If there is a response, the output holds its body; otherwise, it holds the error. */
function answerOf(reply: FailedReply | undefined, message: string): Answer {
  if (reply === undefined) return { error: { code: "UNKNOWN_OUTCOME", message } };
  const value = parseJson(reply.text);
  const body = value === undefined ? JSON.stringify(reply.text) : oneLine(reply.text, value);
  return { response: { status: reply.status, requestId: reply.requestId, body } };
}
