import { setTimeout as wait } from "node:timers/promises";
import type { Context, Next } from "hono";
import type { ErrorBody } from "../../contract/errors.ts";
import { parseJson } from "../../core/json.ts";
import { callerHeader, faultHeader } from "../../core/sandbox.ts";
import type { ServedId } from "../assumed/index.ts";
import { errorBodyFor, errorBodyOf } from "../errors.ts";
import { callerOf } from "../keys.ts";
import { maxBodyBytes } from "../read-input.ts";
import { differences } from "../requests/match.ts";
import type { Store } from "../store/queries.ts";
import { ConnectionReset, truncateResponse } from "./cut.ts";
import { activeFaults, type Effect, replacesResponse, type StoredFault, takeFault } from "./table.ts";

/**
 * Runs the operation of a request, with the effects of a fault if one is due.
 * @throws ConnectionReset when the fault breaks the connection, or the client disconnects during its delay
 */
export async function injectFault(
  http: Context,
  next: Next,
  store: Store,
  operation: ServedId,
): Promise<void> {
  const isSelected = await selectionOf(http, activeFaults(store, operation), store);
  const fault = isSelected && takeFault(store, operation, isSelected);
  if (fault === undefined) return next();
  const { effect, id } = fault;
  http.set("fault", id);
  const isReplaced = replacesResponse(effect);
  const broken = effect.reset && effect.cutStreamAfter === undefined;
  // A delay affects only the response: the operation takes effect first, even if the client disconnects.
  if (effect.applied || (!isReplaced && !broken)) await next();
  if (effect.delayMs !== undefined) await delay(effect.delayMs, http.req.raw.signal);
  if (broken) throw new ConnectionReset();
  if (isReplaced) replace(http, replacementFor(http, effect));
  if (effect.cutStreamAfter !== undefined)
    replace(
      http,
      truncateResponse(http.res, effect.cutStreamAfter, { ...effect, signal: http.req.raw.signal }),
    );
  http.header(faultHeader, String(id));
}

/** Decides which of the faults select a request; undefined if there are none. */
async function selectionOf(
  http: Context,
  faults: readonly StoredFault[],
  store: Store,
): Promise<((fault: StoredFault) => boolean) | undefined> {
  if (faults.length === 0) return undefined;
  const { req } = http;
  const readsFields = faults.some(({ where }) => where !== undefined);
  const fields = readsFields ? (http.get("input") ?? (await fieldsOfBody(req.raw))) : {};
  const keyName = faults.some(({ key }) => key !== undefined)
    ? callerOf(store, req.header("authorization"))?.keyName
    : undefined;
  return ({ where = {}, caller, key }) =>
    differences(where, fields).length === 0 &&
    (caller === undefined || caller === req.header(callerHeader)) &&
    (key === undefined || key === keyName);
}

/** The fields of a body, which is left to be read by the operation. */
async function fieldsOfBody(request: Request): Promise<unknown> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return {};
  return parseJson(await request.clone().text()) ?? {};
}

/** Replaces the response but keeps its CORS headers. Without clearing it first, Hono would merge all headers. */
function replace(http: Context, response: Response): void {
  const cors = [...http.res.headers].filter(([name]) => name.startsWith("access-control-"));
  http.res = undefined;
  http.res = response;
  for (const [name, value] of cors) http.header(name, value);
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

/** The response that a fault sends instead of the service's. Its error is stored in the context for the request log. */
function replacementFor(http: Context, effect: Effect): Response {
  const { status, garbage: isGarbage, retryAfterSeconds, body, contentType } = effect;
  const headers = {
    "content-type": body === undefined ? "application/json" : (contentType ?? defaultContentType),
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
  if (body !== undefined) return new Response(body, { status: status ?? 200, headers });
  const problem = isGarbage || status === undefined ? undefined : errorOf(status, effect);
  http.set("problem", problem);
  return new Response(
    problem && status !== undefined ? JSON.stringify(errorBodyFor(http, problem, status)) : garbage,
    { status: status ?? 200, headers },
  );
}

/** The error of a status, with the code and the message of the fault. */
function errorOf(status: number, { code, message }: Effect): ErrorBody {
  const documented = errorBodyOf(status);
  return { ...documented, code: code ?? documented.code, message: message ?? documented.message };
}
