import { setTimeout as wait } from "node:timers/promises";
import type { Context, Next } from "hono";
import type { ServedId } from "../../contract/assumed/served.ts";
import { faultHeader } from "../../contract/sandbox.ts";
import type { Store } from "../store.ts";
import { answerOf } from "./answer.ts";
import { ConnectionReset } from "./connection-reset.ts";
import { cut } from "./cut.ts";
import { takeFault } from "./take.ts";

/**
 * Lets a call go on to its operation, or befall by a fault, whose number it gives back.
 * @throws ConnectionReset when the fault breaks the connection, or nobody waits for the answer any more
 */
export async function underFaults(
  http: Context,
  next: Next,
  { store, operation, onFault }: { store: Store; operation: ServedId; onFault: (id: number) => void },
): Promise<void> {
  const fault = takeFault(store, operation);
  if (fault === undefined) return next();
  const { effect, id } = fault;
  onFault(id);
  const answer = answerOf(effect);
  const broken = effect.reset && effect.cutStreamAfter === undefined;
  // A delay holds up the answer: what was asked has happened by then, whoever still waits for it.
  if (effect.applied || (answer === undefined && !broken)) await next();
  if (effect.delayMs !== undefined) await pause(effect.delayMs, http.req.raw.signal);
  if (broken) throw new ConnectionReset();
  if (answer !== undefined) {
    http.set("problem", answer.problem);
    replace(http, answer.response);
  }
  if (effect.cutStreamAfter !== undefined) replace(http, cut(http.res, effect.cutStreamAfter, effect));
  http.header(faultHeader, String(id));
}

/** Hono would merge the headers of the old answer into the new one; those that let pages read an answer stay. */
function replace(http: Context, answer: Response): void {
  const forPages = [...http.res.headers].filter(([name]) => name.startsWith("access-control-"));
  http.res = undefined;
  http.res = answer;
  for (const [name, value] of forPages) http.header(name, value);
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch {
    throw new ConnectionReset("the caller left while a fault of the sandbox delayed the answer");
  }
}
