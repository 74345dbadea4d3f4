import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import { attempt, type ReadAnswer } from "./attempt.ts";
import type { CallOptions } from "./call-options.ts";
import { ServiceError } from "./errors.ts";
import { readJsonAnswer } from "./json-answer.ts";
import { legacyOf } from "./negotiate.ts";
import { pages } from "./pages.ts";
import { mayBeReplaced, type Replacement, replacementOf } from "./replacement.ts";
import { type RequestParts, rawRequest, wireRequest } from "./request.ts";
import { withRetries } from "./retry.ts";

/** What becomes of an answer that is a success. */
export interface Reader<Value> {
  readonly answer: ReadAnswer<Value>;
  /** Of an answer that comes page by page; the first page has to be asked for before it settles. */
  readonly pages: (pages: AsyncGenerator<readonly unknown[]>) => Promise<Value>;
}

/**
 * Sends an operation and gives back what is made of its answer when that is a success. Reads are tried again; nothing
 * else ever is. An operation with a replacement is sent by that where the service lists it; where a path is unknown to
 * the service, the older path that it replaced is asked instead.
 */
export function send<Value>(
  id: OperationId,
  input: object,
  reader: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  return mayBeReplaced(id) ? replaced(id, input, reader, options) : documented(id, input, reader, options);
}

async function documented<Value>(
  id: OperationId,
  input: object,
  { answer }: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  const legacy = legacyOf(id);
  try {
    return await sendTo(id, input, answer, options);
  } catch (error) {
    if (legacy === undefined || !isUnknownPath(error)) throw error;
    return sendTo(legacy, input, answer, options).catch((cause) => {
      throw isUnknownPath(cause)
        ? unknown(cause, `neither ${nameOf(id)} nor the older path is known`)
        : cause;
    });
  }
}

/** By the replacement where there is one. A description that lists what is gone since is asked for anew. */
async function replaced<Value>(
  id: OperationId,
  input: object,
  reader: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  const { negotiator } = options;
  // What cannot be sent safely is told before anything is asked.
  wireRequest(routes[id], { ...input }, options.target);
  const replacement = replacementOf(id, { ...input }, await negotiator?.soon());
  if (replacement === undefined) return unlessGone(id, input, reader, options);
  try {
    return await viaReplacement(replacement, reader, options);
  } catch (error) {
    if (!isGone(error) || replacementOf(id, { ...input }, await negotiator?.again())) throw error;
    return documented(id, input, reader, options);
  }
}

/** As documented, unless the path is gone and the description, asked for anew, lists what took its place. */
async function unlessGone<Value>(
  id: OperationId,
  input: object,
  reader: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  const { negotiator } = options;
  try {
    return await documented(id, input, reader, options);
  } catch (error) {
    if (!isGone(error) || negotiator === undefined) throw error;
    const description = await negotiator.again();
    const replacement = replacementOf(id, { ...input }, description, true);
    if (replacement) return viaReplacement(replacement, reader, options);
    const why = description
      ? " lists nothing in its place"
      : ", which says what took its place, cannot be had";
    throw unknown(error, `${nameOf(id)} is deprecated, and the service's description${why}`, askAgain);
  }
}

function viaReplacement<Value>(
  { parts, paging }: Replacement,
  reader: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  if (paging === undefined) return sendParts(parts, reader.answer, options);
  const { warn = () => {} } = options;
  const turning = { paging, query: parts.query ?? [], paged: true, warn };
  return reader.pages(pages((query) => sendParts({ ...parts, query }, readJsonAnswer, options), turning));
}

const isUnknownPath = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status === 404;

/** A path that is to be replaced, or its method, is not served any longer: nothing was done. */
const isGone = (error: unknown): error is ServiceError =>
  isUnknownPath(error) || (error instanceof ServiceError && (error.status === 405 || error.status === 410));

/** The failure of a path that the service does not know, which also says what else was looked at. */
const unknown = (
  { status, code, issues, request, message }: ServiceError,
  more: string,
  hint?: string,
): ServiceError => new ServiceError({ status, code, issues, message: `${message}: ${more}` }, request, hint);

const askAgain =
  "`gpuctl api spec --refresh` asks for the description anew; `gpuctl api list` shows what the service offers.";

const nameOf = (id: OperationId): string => `${routes[id].method} ${routes[id].path}`;

function sendTo<Value>(
  id: OperationId,
  input: object,
  readAnswer: ReadAnswer<Value>,
  options: CallOptions,
): Promise<Value> {
  const { host } = routes[id];
  const request = wireRequest(routes[id], { ...input }, options.target);
  return withRetries(() => attempt(request, host, readAnswer, options), options);
}

function sendParts<Value>(
  parts: RequestParts,
  readAnswer: ReadAnswer<Value>,
  options: CallOptions,
): Promise<Value> {
  const request = rawRequest(parts, options.target);
  return withRetries(() => attempt(request, parts.host, readAnswer, options), options);
}
