import { UnknownOutcome } from "../core/service-errors.ts";
import type { Context } from "./context.ts";
import { idOf, recordsOf } from "./responses.ts";

/** Sends a write once. When its outcome is unknown, throws `UnknownOutcome` with what a look afterwards showed. */
export async function orLook<Value>(
  write: () => Promise<Value>,
  look: () => Promise<string>,
): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) throw error;
    throw error.withFinding(await look());
  }
}

/**
 * The same for a create, whose look tells what is listed now that was not listed before. Once it has worked, whatever
 * fails later tells of it: the thing is there.
 */
export async function createAndLook<Value>(
  thing: "rental" | "volume",
  create: () => Promise<Value>,
  list: (options?: { retries: number }) => Promise<unknown>,
  { settings, interrupted, ifItFails }: Pick<Context, "settings" | "interrupted" | "ifItFails">,
): Promise<Value> {
  const before = settings.dryRun ? undefined : await idsOf(() => list({ retries: 0 }));
  interrupted.throwIfAborted();
  const created = await orLook(create, async () => finding(before, await idsOf(list)));
  const id = idOf(created) ?? "without an id in the answer";
  const bills = thing === "rental" ? " and bills" : "";
  ifItFails(`The ${thing} is created${bills}: ${id}. Do not create it again.`);
  return created;
}

/** Ids in the listing; undefined when listing fails, which must not fail the write. */
async function idsOf(list: () => Promise<unknown>): Promise<readonly string[] | undefined> {
  try {
    return recordsOf(await list()).map((record) => idOf(record) ?? "(no id)");
  } catch {
    return undefined;
  }
}

function finding(before: readonly string[] | undefined, after: readonly string[] | undefined): string {
  if (after === undefined) return "Looking afterwards failed too: look yourself before you try again.";
  if (before === undefined) {
    return `Listed now: ${after.join(", ") || "nothing"}. What was there before is not known.`;
  }
  const fresh = after.filter((id) => !before.includes(id));
  return fresh.length === 0
    ? "Nothing new is listed yet. It may still appear: look again before you try again."
    : `New in the listing since: ${fresh.join(", ")}. It may be this one.`;
}
