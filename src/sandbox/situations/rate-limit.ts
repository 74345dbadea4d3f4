import type { ServedId } from "../assumed/index.ts";
import { secondMs } from "../clock.ts";
import { errorBodyOf } from "../errors.ts";
import { errorResponse } from "../http/errors.ts";
import type { Exchange, PlainResponse } from "../http/exchange.ts";
import { fieldsSent, namesOf, needsFields, selects } from "../requests/match.ts";
import type { Store } from "../store/queries.ts";
import { countHit, type StoredSituation, situationsOf } from "./table.ts";

const tooManyRequests = 429;

/**
 * Returns a response with status 429 to a call that exceeds a rate limit. The header Retry-After is the number of
 * seconds until the window ends. Returns undefined for any other call.
 */
export async function rateLimited(
  exchange: Exchange,
  store: Store,
  operation: ServedId,
): Promise<PlainResponse | undefined> {
  const names = ["*", ...namesOf(operation)];
  const limits = () =>
    situationsOf(store, "rate-limit").filter(({ situation }) => names.includes(situation.operation));
  const limited = limits().map(({ situation }) => situation.operation);
  if (limited.length === 0) return undefined;
  const fields = needsFields(limited, operation) ? await fieldsSent(exchange) : {};
  const isSelected = ({ situation }: StoredSituation<"rate-limit">) =>
    selects(situation.operation, operation, fields);
  const waitMs = takeCall(store, () => limits().filter(isSelected), exchange.now);
  if (waitMs === undefined) return undefined;
  return errorResponse(exchange, errorBodyOf(tooManyRequests), tooManyRequests, {
    "retry-after": String(Math.ceil(waitMs / secondMs)),
  });
}

/**
 * Counts a call in the window of each limit. If the call exceeds a limit, counts it in no window, and returns the
 * milliseconds until the window of that limit ends.
 */
function takeCall(
  store: Store,
  limits: () => readonly StoredSituation<"rate-limit">[],
  now: number,
): number | undefined {
  return store.write(() => {
    const windows = limits().map(({ id, at, calls, situation: { requests, windowSeconds } }) => {
      const length = windowSeconds * secondMs;
      const isOver = now >= at + length;
      return { id, requests, length, at: isOver || calls === 0 ? now : at, calls: isOver ? 0 : calls };
    });
    const full = windows.find(({ calls, requests }) => calls >= requests);
    if (full) {
      countHit(store, full.id);
      return full.at + full.length - now;
    }
    for (const { id, at, calls } of windows) {
      store.run("UPDATE situations SET at = ?, calls = ? WHERE id = ?", at, calls + 1, id);
    }
    return undefined;
  });
}
