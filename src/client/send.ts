import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import { ServiceError } from "../core/service-errors.ts";
import { findPath } from "../openapi/described.ts";
import type { DescriptionLookup } from "../openapi/description-store.ts";
import type { Description } from "../openapi/document.ts";
import { pages } from "../openapi/paging.ts";
import { mayBeReplaced, type Replacement, replacementOf } from "../openapi/replacement.ts";
import {
  type AttemptOptions,
  attempt,
  type ReadResponse,
  type RetryOptions,
  withRetries,
} from "./attempt.ts";
import { type RequestParts, rawRequest, type Target, wireRequest } from "./request.ts";
import { readJson } from "./response.ts";

export interface CallOptions extends AttemptOptions, RetryOptions {
  readonly target: Target;
  /** Finds the replacements of deprecated operations; without it they are sent as documented. */
  readonly descriptions?: DescriptionLookup;
  /** Called when a list may be incomplete. */
  readonly warn?: (line: string) => void;
}

/** Turns a successful response into the result of a call. */
export interface Reader<Value> {
  readonly response: ReadResponse<Value>;
  /** For a paged response. It fetches the first page before it resolves. */
  readonly pages: (pages: AsyncGenerator<readonly unknown[]>) => Promise<Value>;
}

/**
 * Sends an operation and returns what the reader makes of its response. Only reads are retried. A deprecated operation
 * is sent as its replacement where the service's description lists that. Where the service does not know a path, the
 * older path that it replaced is tried.
 */
export function send<Value>(
  id: OperationId,
  input: object,
  reader: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  return mayBeReplaced(id)
    ? sendDeprecated(id, input, reader, options)
    : sendDocumented(id, input, reader, options);
}

async function sendDocumented<Value>(
  id: OperationId,
  input: object,
  { response }: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  const older = olderOperation(id);
  try {
    return await sendOperation(id, input, response, options);
  } catch (error) {
    if (older === undefined || !isUnknownPath(error)) throw error;
    return sendOperation(older, input, response, options).catch((cause) => {
      throw isUnknownPath(cause)
        ? explained(cause, `the service has neither ${nameOf(id)} nor the older ${nameOf(older)}`)
        : cause;
    });
  }
}

/** The operation at the older path that this one replaced with the same input and output, if there is one. */
function olderOperation(id: OperationId): OperationId | undefined {
  const { method, path } = routes[id];
  const entry = Object.entries(routes).find(
    ([, { replacedBy, sunset }]) =>
      sunset !== undefined && replacedBy?.method === method && replacedBy.path === path,
  );
  return entry?.[0] as OperationId | undefined;
}

/** Sends the replacement where the description lists one. */
async function sendDeprecated<Value>(
  id: OperationId,
  input: object,
  reader: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  const { descriptions } = options;
  // Throws before anything is sent when the request cannot be sent safely.
  wireRequest(routes[id], { ...input }, options.target);
  const replacement = replacementOf(id, { ...input }, await descriptions?.get());
  if (replacement === undefined) return sendUnlessGone(id, input, reader, options);
  try {
    return await sendReplacement(replacement, reader, options);
  } catch (error) {
    // A cached description may list a replacement that the service has removed since.
    if (!isGone(error) || replacementOf(id, { ...input }, await descriptions?.refresh())) throw error;
    return sendDocumented(id, input, reader, options);
  }
}

/** Sends an operation as documented; if its path is gone, as the replacement that a fresh description lists. */
async function sendUnlessGone<Value>(
  id: OperationId,
  input: object,
  reader: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  const { descriptions } = options;
  try {
    return await sendDocumented(id, input, reader, options);
  } catch (error) {
    if (!isGone(error) || descriptions === undefined) throw error;
    const description = await descriptions.refresh();
    const replacement = replacementOf(id, { ...input }, description, true);
    if (replacement) return sendReplacement(replacement, reader, options);
    throw explained(error, whyGone(id, description), refreshHint);
  }
}

function whyGone(id: OperationId, description: Description | undefined): string {
  const { method, path, replacedBy } = routes[id];
  const replacement = replacedBy && `${replacedBy.method} ${replacedBy.path}`;
  if (description === undefined) {
    return `${nameOf(id)} is deprecated, and the service's description, which may list its replacement, could not be fetched`;
  }
  return findPath(description, method, path)
    ? `the service's description lists ${nameOf(id)}, but the service does not serve it`
    : `the service's description lists neither ${nameOf(id)}, which is deprecated, nor its replacement ${replacement}`;
}

const refreshHint =
  "Run `gpuctl api spec --refresh` to fetch the description again, or `gpuctl api list` to see what the service offers.";

function sendReplacement<Value>(
  { parts, paging }: Replacement,
  reader: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  if (paging === undefined) return sendParts(parts, reader.response, options);
  const { warn = () => {} } = options;
  const first = { paging, query: parts.query ?? [], paged: true, warn };
  return reader.pages(pages((query) => sendParts({ ...parts, query }, readJson, options), first));
}

const isUnknownPath = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status === 404;

/** The path, or its method, is no longer served: nothing was done. */
const isGone = (error: unknown): error is ServiceError =>
  isUnknownPath(error) || (error instanceof ServiceError && (error.status === 405 || error.status === 410));

const explained = (
  { status, code, issues, request, message }: ServiceError,
  why: string,
  hint?: string,
): ServiceError => new ServiceError({ status, code, issues, message: `${message}: ${why}` }, request, hint);

const nameOf = (id: OperationId): string => `${routes[id].method} ${routes[id].path}`;

function sendOperation<Value>(
  id: OperationId,
  input: object,
  readResponse: ReadResponse<Value>,
  options: CallOptions,
): Promise<Value> {
  const { host } = routes[id];
  const request = wireRequest(routes[id], { ...input }, options.target);
  return withRetries(() => attempt(request, host, readResponse, options), options);
}

function sendParts<Value>(
  parts: RequestParts,
  readResponse: ReadResponse<Value>,
  options: CallOptions,
): Promise<Value> {
  const request = rawRequest(parts, options.target);
  return withRetries(() => attempt(request, parts.host, readResponse, options), options);
}
