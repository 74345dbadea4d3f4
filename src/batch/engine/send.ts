import { dirname, isAbsolute, relative, sep } from "node:path";
import { requestIdHeader } from "../../client/attempt.ts";
import type { RawCall } from "../../client/call.ts";
import { type Diverted, restored } from "../../client/divert.ts";
import type { BufferedResponse } from "../../client/response.ts";
import { EmptyResult, ResultTruncated, reasonOf } from "../../core/errors.ts";
import { isRecord, parseJson } from "../../core/json.ts";
import { serviceErrorIn } from "../../core/responses/success.ts";
import {
  type FailedReply,
  InterruptedWrite,
  NetworkError,
  ServiceError,
  UnknownOutcome,
} from "../../core/service-errors.ts";
import { stringifyExactly } from "../../core/values/exact-numbers.ts";
import { ArrivingMedia, picturesIn, soundIn } from "../../media/arriving.ts";
import { fileName } from "../../media/filename.ts";
import { type OutputTarget, saveMedia } from "../../media/output-target.ts";
import { type BatchRequest, endpoints } from "../input/lines.ts";
import type { Answer } from "./output.ts";
import type { Sent } from "./run.ts";

export interface SendOptions {
  readonly request: RawCall;
  /** The output, whose lines hold the paths of the files relative to it. */
  readonly out: string;
  /** The folder for pictures and recordings, which exists. */
  readonly filesFolder: string;
  /** Folders to try in order if a file cannot be saved there. */
  readonly fallbackFolders: readonly string[];
  /** Write the settings into the pictures. */
  readonly metadata: boolean;
  readonly version: string;
  /** Milliseconds since the epoch, at the service. */
  readonly serviceNow: () => number;
  readonly say: (line: string) => void;
}

/** Returns what sends one request of a batch, once. */
export const createSend =
  (options: SendOptions) =>
  async (line: BatchRequest): Promise<Sent> => {
    const arriving: ArrivingMedia[] = [];
    try {
      return await sendOnce(line, arriving, options);
    } catch (error) {
      return failed(error);
    } finally {
      for (const media of arriving) media.discard();
    }
  };

/** Where the base64 text is in the response. */
const mediaPaths = { chat: undefined, image: "images.*.image", tts: "audio" } as const;

async function sendOnce(line: BatchRequest, arriving: ArrivingMedia[], options: SendOptions): Promise<Sent> {
  const { endpoint, body } = line;
  const { method, path, host, effect } = endpoints[endpoint];
  const parts = { method, path, host, effect, body: stringifyExactly(body) };
  const mediaPath = mediaPaths[endpoint];
  const open = (): Diverted => {
    const media = new ArrivingMedia(targetFor(line, options));
    arriving.push(media);
    return media;
  };
  const response = await options.request(parts, {
    reusesConnection: true,
    ...(mediaPath && { divert: { path: mediaPath, open } }),
  });
  const text = response.text();
  const value = parseJson(text);
  if (value === undefined) return unusable("the response is not JSON", JSON.stringify(text), response);
  const error = serviceErrorIn(value);
  if (error !== undefined) return unusable(error, oneLine(text, value), response);
  if (endpoint !== "chat") return saved(line, { response, value, arriving }, options);
  if (!isRecord(value) || !Array.isArray(value.choices)) {
    return unusable("the response contains no choices", oneLine(text, value), response);
  }
  return { outcome: "done", answer: { response: replyOf(response, oneLine(text, value)) }, value };
}

const oneLine = (text: string, value: unknown): string =>
  /[\r\n]/.test(text) ? (stringifyExactly(value) ?? "null") : text;

const replyOf = (response: BufferedResponse, body: string): NonNullable<Answer["response"]> => ({
  status: response.status,
  requestId: response.header(requestIdHeader),
  body,
});

/** A response that was paid for, and that someone has to look at. */
function unusable(message: string, body: string, response: BufferedResponse): Sent {
  const code = "UNUSABLE_RESPONSE";
  return {
    outcome: "unknown",
    answer: { response: replyOf(response, body), error: { code, message } },
    code,
    slowsDown: false,
  };
}

interface MediaResponse {
  readonly response: BufferedResponse;
  readonly value: unknown;
  readonly arriving: readonly ArrivingMedia[];
}

/** Saves the pictures or the sound of a response. The body gets the paths and hashes in place of the base64 text. */
async function saved(
  line: BatchRequest,
  { response, value, arriving }: MediaResponse,
  options: SendOptions,
): Promise<Sent> {
  const isImage = line.endpoint === "image";
  const listed = isImage
    ? picturesIn(value, arriving)
    : [{ media: soundIn(value, arriving), entry: isRecord(value) ? value : {} }];
  const problems: string[] = [];
  const missing = listed.flatMap(({ media }) => (typeof media === "string" ? media : []));
  if (missing.length > 0) problems.push(...missing);
  // The response is kept as it came before settings are added to its pictures.
  const received = missing.length > 0 ? restored(jsonBytes(value), arriving) : undefined;
  const files: Readonly<Record<string, unknown>>[] = [];
  for (const [index, { media, entry }] of listed.entries()) {
    if (typeof media === "string") continue;
    const { image: _, audio: __, ...rest } = entry;
    try {
      const target = targetFor(line, options);
      const names = {
        date: new Date(options.serviceNow()),
        prompt: line.id,
        fallback: "file",
        index: index + 1,
      };
      const seed = entry.random_seed ?? entry.seed ?? line.body.seed;
      const settings = { ...line.body, ...(seed !== undefined && { seed }) };
      const decoded = media.finish(
        { kind: isImage ? "image" : "audio", count: listed.length, names },
        isImage && options.metadata ? { request: settings, version: options.version } : undefined,
      );
      const { file, problem } = await saveMedia(decoded, { ...target, force: false, say: options.say });
      if (problem instanceof ResultTruncated) problems.push(problem.message);
      else if (problem) options.say(`${line.id}: ${problem.message}`);
      files.push({ ...rest, path: shownPath(file.path, options), bytes: file.bytes, sha256: file.sha256 });
    } catch (error) {
      problems.push(reasonOf(error));
    }
  }
  const [problem] = problems;
  if (received && problem !== undefined && files.length === 0) {
    return unusable(problem, Buffer.from(received).toString("utf8"), response);
  }
  const body = isImage ? { ...(isRecord(value) ? value : {}), images: files } : (files[0] ?? null);
  const json = stringifyExactly(body) ?? "null";
  if (problem !== undefined) return unusable(problem, json, response);
  return { outcome: "done", answer: { response: replyOf(response, json) }, value };
}

const jsonBytes = (value: unknown): Uint8Array => Buffer.from(stringifyExactly(value) ?? "null");

/** Files have the name of the line. */
function targetFor(
  { id }: BatchRequest,
  { filesFolder, fallbackFolders }: SendOptions,
): Pick<OutputTarget, "fallbackFolders"> & { readonly to: { readonly kind: "file"; readonly path: string } } {
  const name = fileName("{model}", { date: new Date(0), prompt: id, fallback: "line", model: id, ext: "" });
  return { to: { kind: "file", path: `${filesFolder}/${name}` }, fallbackFolders };
}

/** Relative to the folder of the output if the file is below it, with slashes. */
function shownPath(path: string, { out }: SendOptions): string {
  const near = relative(dirname(out), path);
  return near.startsWith("..") || isAbsolute(near) ? path : near.split(sep).join("/");
}

/** What an error says about a request. */
function failed(error: unknown): Sent {
  if (error instanceof NetworkError) return { outcome: "refused", error };
  if (error instanceof ServiceError) {
    if (error.status === 429) return { outcome: "refused", retryAfter: error.retryAfter, error };
    // Every other line would be refused, too.
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
    answer: answerOf(reply, message),
    code,
    slowsDown: status === undefined || reply?.status === 503,
    retryAfter: reply?.retryAfter,
  };
}

const lost = (code: string, message: string): Sent => ({
  outcome: "unknown",
  answer: { error: { code, message } },
  code,
  slowsDown: false,
});

/** A response has its body in the output; without one there is an error. */
function answerOf(reply: FailedReply | undefined, message: string): Answer {
  if (reply === undefined) return { error: { code: "UNKNOWN_OUTCOME", message } };
  const value = parseJson(reply.text);
  const body = value === undefined ? JSON.stringify(reply.text) : oneLine(reply.text, value);
  return { response: { status: reply.status, requestId: reply.requestId, body } };
}
