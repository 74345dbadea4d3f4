import { setTimeout as wait } from "node:timers/promises";
import type { Context, Next } from "hono";
import { faultHeader } from "../../core/sandbox.ts";
import type { ServedId } from "../assumed/index.ts";
import { errorBodyFor, errorBodyOf } from "../errors.ts";
import type { Store } from "../store/queries.ts";
import { ConnectionReset, truncateResponse } from "./cut.ts";
import { type Effect, takeFault } from "./table.ts";

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
  const fault = takeFault(store, operation);
  if (fault === undefined) return next();
  const { effect, id } = fault;
  http.set("fault", id);
  const isReplaced = effect.status !== undefined || effect.garbage;
  const broken = effect.reset && effect.cutStreamAfter === undefined;
  // A delay affects only the response: the operation takes effect first, even if the client disconnects.
  if (effect.applied || (!isReplaced && !broken)) await next();
  if (effect.delayMs !== undefined) await delay(effect.delayMs, http.req.raw.signal);
  if (broken) throw new ConnectionReset();
  if (isReplaced) replace(http, replacementFor(http, effect));
  if (effect.cutStreamAfter !== undefined)
    replace(http, truncateResponse(http.res, effect.cutStreamAfter, effect));
  http.header(faultHeader, String(id));
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

const garbage = "\u0007{this is not JSON";

/** The response that a fault sends instead of the service's. Its error is stored in the context for the request log. */
function replacementFor(http: Context, { status, garbage: isGarbage, retryAfterSeconds }: Effect): Response {
  const headers = {
    "content-type": "application/json",
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
  const problem = isGarbage || status === undefined ? undefined : errorBodyOf(status);
  http.set("problem", problem);
  return new Response(
    problem && status !== undefined ? JSON.stringify(errorBodyFor(http, problem, status)) : garbage,
    { status: status ?? 200, headers },
  );
}
