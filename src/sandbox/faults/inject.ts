import { setTimeout as wait } from "node:timers/promises";
import type { ErrorBody } from "../../contract/errors.ts";
import { callerHeader, faultHeader } from "../../core/sandbox.ts";
import type { ServedId } from "../assumed/index.ts";
import { errorBodyOf } from "../errors.ts";
import { corsHeaders } from "../http/cors.ts";
import { errorBodyFor } from "../http/errors.ts";
import { type Exchange, PlainResponse } from "../http/exchange.ts";
import { callerOf } from "../keys.ts";
import { differences, fieldsSent, namesOf, needsFields, selects } from "../requests/match.ts";
import type { Store } from "../store/queries.ts";
import { ConnectionReset, truncateResponse } from "./cut.ts";
import { activeFaults, type Effect, replacesResponse, type StoredFault, takeFault } from "./table.ts";

/**
 * Responds to a request with `respond`. If a fault is due, applies its effects.
 * @throws ConnectionReset when the fault breaks the connection instead of responding, or when the client disconnects
 * during the fault's delay
 */
export async function injectFault(
  exchange: Exchange,
  store: Store,
  operation: ServedId,
  respond: () => Promise<PlainResponse>,
): Promise<PlainResponse> {
  const names = namesOf(operation);
  const isSelected = await selectionOf(exchange, operation, activeFaults(store, names), store);
  const fault = isSelected && takeFault(store, names, isSelected);
  if (fault === undefined) return respond();
  const { effect, id } = fault;
  exchange.fault = id;
  const { signal } = exchange.request;
  const isReplaced = replacesResponse(effect);
  const broken = effect.reset && effect.cutStreamAfter === undefined;
  // A delay affects only the response: the operation takes effect first, even if the client disconnects.
  const own = effect.applied || (!isReplaced && !broken) ? await respond() : undefined;
  if (effect.delayMs !== undefined) await delay(effect.delayMs, signal);
  if (broken) throw new ConnectionReset();
  const whole = isReplaced || own === undefined ? replacementFor(exchange, effect) : own;
  const response =
    effect.cutStreamAfter === undefined
      ? whole
      : truncateResponse(whole, effect.cutStreamAfter, { ...effect, signal });
  response.headers[faultHeader.toLowerCase()] = String(id);
  return response;
}

/** Returns a function that checks whether a fault selects the request. Returns undefined if there are no faults. */
async function selectionOf(
  exchange: Exchange,
  id: ServedId,
  faults: readonly StoredFault[],
  store: Store,
): Promise<((fault: StoredFault) => boolean) | undefined> {
  if (faults.length === 0) return undefined;
  const { request } = exchange;
  const names = faults.map(({ operation }) => operation);
  const readsFields = needsFields(names, id) || faults.some(({ where }) => where !== undefined);
  const fields = readsFields ? await fieldsSent(exchange) : {};
  const keyName = faults.some(({ key }) => key !== undefined)
    ? callerOf(store, request.header("authorization"))?.keyName
    : undefined;
  return ({ operation, where = {}, caller, key }) =>
    selects(operation, id, fields) &&
    differences(where, fields).length === 0 &&
    (caller === undefined || caller === request.header(callerHeader.toLowerCase())) &&
    (key === undefined || key === keyName);
}

/** Waits in real time. @throws ConnectionReset when the client disconnects */
export async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch {
    throw new ConnectionReset("the client disconnected while the sandbox delayed the response");
  }
}

export const defaultContentType = "text/plain; charset=utf-8";

const garbage = "\u0007{this is not JSON";

/**
 * Returns the response that a fault sends instead of the operation's. Stores the error of this response in the
 * exchange, for the request log.
 */
function replacementFor(exchange: Exchange, effect: Effect): PlainResponse {
  const { status, garbage: isGarbage, retryAfterSeconds, body, contentType } = effect;
  const headers = {
    ...corsHeaders,
    "content-type": body === undefined ? "application/json" : (contentType ?? defaultContentType),
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
  if (body !== undefined) return new PlainResponse(body, { status: status ?? 200, headers });
  const problem = isGarbage || status === undefined ? undefined : errorOf(status, effect);
  exchange.problem = problem;
  return new PlainResponse(
    problem && status !== undefined ? JSON.stringify(errorBodyFor(exchange, problem, status)) : garbage,
    { status: status ?? 200, headers },
  );
}

/** Returns the error for a status. A code or message of the fault replaces the documented code or message. */
function errorOf(status: number, { code, message }: Effect): ErrorBody {
  const documented = errorBodyOf(status);
  return { ...documented, code: code ?? documented.code, message: message ?? documented.message };
}
