import type { FailedItem } from "../core/errors.ts";
import { idOf } from "../core/responses/rental.ts";
import { InterruptedWrite, UnknownOutcome } from "../core/service-errors.ts";
import type { Context } from "./context.ts";
import { recordsOf } from "./responses.ts";

/**
 * Sends a write once. If the outcome is unknown, the error says what `check` found. Without `check`, or after an
 * interruption, the error contains `look` instead: a sentence that says where the user can look.
 */
export async function writeAndCheck<Value>(
  write: () => Promise<Value>,
  look: string,
  check?: () => Promise<string>,
): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof InterruptedWrite) throw error.withFinding(look);
    if (!(error instanceof UnknownOutcome)) throw error;
    throw error.withFinding(check ? await check().catch(() => checkFailed) : look);
  }
}

/**
 * Says what happened to items that failed, in parts of a sentence: `failed` for items whose outcome is known, and "have
 * an unknown outcome" for the others. Leaves out a part that applies to no item.
 */
export function notDone(failures: readonly FailedItem[], failed: string): readonly string[] {
  const unknown = failures.filter(({ error }) => isUnknown(error)).length;
  return [
    ...(unknown < failures.length ? [failed] : []),
    ...(unknown > 0 ? ["have an unknown outcome"] : []),
  ];
}

const isUnknown = (error: unknown): boolean =>
  error instanceof UnknownOutcome || error instanceof InterruptedWrite;

/**
 * Creates a resource, sending the request once. If the outcome is unknown, the error says what is new in the list of
 * resources. After a success, any later failure reports that the resource exists. Pass `listVolumes` for a rental that
 * is created together with a volume: the error then also says which volumes are new.
 */
export function createAndCheck<Value>(
  thing: Thing,
  create: () => Promise<Value>,
  list: ListThings,
  { progress, settings, setFailureContext, say }: Context,
  listVolumes?: ListThings,
): Promise<Value> {
  return progress(`Creating the ${thing}`, async () => {
    const lists: readonly (readonly [Thing, ListThings])[] = [
      [thing, list],
      ...(listVolumes ? [["volume", listVolumes] as const] : []),
    ];
    const listed = await Promise.all(
      lists.map(([, one]) =>
        settings.dryRun ? undefined : idsOf(() => one({ retries: 0, warn: () => {} })),
      ),
    );
    const [before] = listed;
    const look = lists
      .map(([one]) => `\`gpuctl ${one}s list\` shows whether the ${one} was created.`)
      .join(" ");
    const check = async () => {
      const findings = lists.map(async ([one, again], at) => {
        const found = newSince(one, listed[at], await idsOf(again));
        return lists.length === 1 ? found : `${one === "rental" ? "Rentals" : "Volumes"}: ${found}`;
      });
      return (await Promise.all(findings)).join(" ");
    };
    const created = await writeAndCheck(create, look, check);
    const id = idOf(created);
    const name = thing === "rental" ? "Rental" : "Volume";
    const subject = id === undefined ? `The ${thing} (the response has no ID)` : `${name} ${id}`;
    const billed = thing === "rental" ? " and is billed" : "";
    setFailureContext(`${subject} was created${billed}. Do not create it again.`, {
      evenIfUnread: true,
    });
    if (thing === "rental" && id === undefined && !settings.dryRun) {
      const fresh = newIn(await idsOf(list), before);
      say(
        `Warning: the response has no ID. ${fresh.length > 0 ? `New in the listing: ${fresh.join(", ")}.` : look}`,
      );
    }
    return created;
  });
}

type Thing = "rental" | "volume";

type ListThings = (options?: { retries: number; warn: () => void }) => Promise<unknown>;

/** For new resources whose ID is needed. Returns the problem if the response has no ID, and undefined if it has one. */
export const problemWithoutId = (created: unknown): string | undefined =>
  idOf(created) ? undefined : "the response has no ID";

const checkFailed = "The outcome could not be checked. Check it yourself before you try again.";

/** The IDs in the list. Undefined if the list cannot be read: the command must continue even then. */
export async function idsOf(list: () => Promise<unknown>): Promise<readonly string[] | undefined> {
  try {
    return recordsOf(await list()).map((record) => idOf(record) ?? "(no ID)");
  } catch {
    return undefined;
  }
}

const newIn = (after: readonly string[] = [], before: readonly string[] = after): readonly string[] =>
  after.filter((id) => !before.includes(id));

/** What is new in a list, as a sentence. `before` and `after` are undefined if the list could not be read. */
export function newSince(
  thing: string,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): string {
  if (after === undefined) return checkFailed;
  if (before === undefined) {
    return `Listed now: ${after.join(", ") || "nothing"}. What was listed before is not known.`;
  }
  const fresh = newIn(after, before);
  return fresh.length === 0
    ? `Nothing new is listed yet, but the ${thing} may still appear. Check again before you retry.`
    : `New in the listing: ${fresh.join(", ")}. This request may have created it.`;
}
