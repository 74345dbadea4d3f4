import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import { isRead, NotServed, ServiceError } from "../core/service-errors.ts";
import { operationAt } from "../openapi/described.ts";
import type { DescriptionLookup } from "../openapi/description-store.ts";
import type { Description } from "../openapi/document.ts";
import { pages } from "../openapi/paging.ts";
import { mayBeReplaced, type ReplacementRequest, replacementOf } from "../openapi/replacement.ts";
import { type ReadResponse, type SendOptions, sendRequest } from "./attempt.ts";
import { type RequestParts, requestParts, type Target, wireRequest } from "./request.ts";
import { readJson } from "./response.ts";

export interface CallOptions extends SendOptions {
  readonly target: Target;
  /** Finds the replacements of deprecated operations. Without this option, deprecated operations are sent unchanged. */
  readonly descriptions?: DescriptionLookup;
  /** Called when a list may be incomplete. */
  readonly warn?: (line: string) => void;
}

/** Turns a successful response into the result of a call. */
export interface Reader<Value> {
  readonly response: ReadResponse<Value>;
  /** Turns the pages of a list into the result. Fetches the first page before it resolves. */
  readonly pages: (pages: AsyncGenerator<readonly unknown[]>) => Promise<Value>;
}

/**
 * Sends an operation and returns the result of the reader. Only reads are retried. A deprecated operation is sent as
 * the replacement that `replacementOf` finds in the service's description, if any. If the service does not know the
 * path of an operation that replaced an older one, the older path is tried.
 */
export async function send<Value>(
  id: OperationId,
  input: object,
  reader: Reader<Value>,
  options: CallOptions,
): Promise<Value> {
  const { target, descriptions, warn = () => {} } = options;
  const sendParts = <Result>(parts: RequestParts, read: ReadResponse<Result>): Promise<Result> =>
    sendRequest(wireRequest(parts, target), read, options);

  async function sendDocumented(): Promise<Value> {
    const older = olderOperation(id);
    try {
      return await sendParts(requestParts(routes[id], input), reader.response);
    } catch (error) {
      if (older === undefined || !isUnknownPath(error)) throw error;
      return sendParts(requestParts(routes[older], input), reader.response).catch((cause) => {
        throw isUnknownPath(cause)
          ? explained(cause, `the service has neither ${nameOf(id)} nor the older ${nameOf(older)}`)
          : cause;
      });
    }
  }

  function sendReplacement({ parts, paging }: ReplacementRequest): Promise<Value> {
    if (paging === undefined) return sendParts({ ...parts, list: routes[id].list }, reader.response);
    const first = { paging, query: parts.query ?? [], paged: true, warn };
    return reader.pages(pages((query) => sendParts({ ...parts, list: true, query }, readJson), first));
  }

  if (!mayBeReplaced(id)) return sendDocumented();
  // Throws, before the description is fetched, if the request cannot be sent safely.
  wireRequest(requestParts(routes[id], input), target);
  const listed = replacementOf(id, input, await descriptions?.get());
  try {
    return await (listed ? sendReplacement(listed) : sendDocumented());
  } catch (error) {
    if (!isGone(error) || descriptions === undefined) throw error;
    const description = await descriptions.refresh();
    const replacement = replacementOf(id, input, description, listed === undefined);
    if (listed) {
      // If the new description lists no replacement, the cached one was out of date.
      if (replacement) throw error;
      return sendDocumented();
    }
    if (replacement) return sendReplacement(replacement);
    if (description && !isListed(id, description)) {
      throw new NotServed(withReason(error, whyNotServed(id)), error.request, refreshHint);
    }
    // The service offers this write, so the error is about its input, such as the ID of a volume that does not exist.
    if (description && !isRead(routes[id])) throw error;
    throw explained(error, whyGone(id, description), refreshHint);
  }
}

/** The older operation that an operation replaced, if any. Both have the same input and output, but different paths. */
function olderOperation(id: OperationId): OperationId | undefined {
  const { method, path } = routes[id];
  const entry = Object.entries(routes).find(
    ([, { replacedBy, sunset }]) =>
      sunset !== undefined && replacedBy?.method === method && replacedBy.path === path,
  );
  return entry?.[0] as OperationId | undefined;
}

const isListed = (id: OperationId, description: Description): boolean =>
  operationAt(description, routes[id].method, routes[id].path) !== undefined;

const whyGone = (id: OperationId, description: Description | undefined): string =>
  description === undefined
    ? `${nameOf(id)} is deprecated, and the service's description, which may list its replacement, could not be fetched`
    : `the service's description lists ${nameOf(id)}, but the service does not serve it`;

function whyNotServed(id: OperationId): string {
  const { replacedBy } = routes[id];
  return `the service's description lists neither ${nameOf(id)}, which is deprecated, nor its replacement ${replacedBy?.method} ${replacedBy?.path}`;
}

const refreshHint =
  "Run `gpuctl api spec --refresh` to fetch the description again, or `gpuctl api list` to see what the service offers.";

const isUnknownPath = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status === 404;

/** Whether an error may mean that the service no longer serves the path or the method. The service then did nothing. */
export const isGone = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && [404, 405, 410].includes(error.status);

const explained = (error: ServiceError, why: string, hint?: string): ServiceError =>
  new ServiceError(withReason(error, why), error.request, hint);

const withReason = (error: ServiceError, why: string) => ({ ...error, message: `${error.message}: ${why}` });

const nameOf = (id: OperationId): string => `${routes[id].method} ${routes[id].path}`;
