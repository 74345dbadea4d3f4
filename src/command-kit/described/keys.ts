import type { RequestParts } from "../../client/request.ts";
import { NotFound, UnexpectedResponse, UsageError } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import { idOf } from "../../core/responses/rental.ts";
import type { Context } from "../context.ts";
import { idsOf, newSince, writeAndCheck } from "../outcomes.ts";
import { objectOf } from "../responses.ts";

/** An SSH key or API key that a command acts on. */
export interface NamedKey {
  readonly id: string;
  readonly record: unknown;
}

export const keyNamePaths = ["name", "label", "title"];

interface KeyKind {
  /** "SSH key" or "API key". */
  readonly kind: string;
  /** The command that lists the keys. */
  readonly list: string;
  /** Fetches the keys. Calls `warn` if there may be more of them. */
  readonly records: (warn: () => void) => Promise<readonly unknown[]>;
}

/**
 * Finds a key by its id, or else by its name. Throws `NotFound` if there is no such key, and `UnexpectedResponse` if
 * the list is incomplete and has no such id. If several keys have the name, throws a `UsageError` that lists their ids.
 */
export async function keyNamed(word: string, { kind, list, records }: KeyKind): Promise<NamedKey> {
  let isIncomplete = false;
  const found = await records(() => {
    isIncomplete = true;
  });
  const keys = found.flatMap((record) => {
    const id = idOf(record);
    return id === undefined ? [] : [{ id, record }];
  });
  const byId = keys.find(({ id }) => id === word);
  if (byId) return byId;
  if (isIncomplete) {
    // A key that is not in the list may have the same name.
    throw new UnexpectedResponse(
      `the service's list of ${kind}s is incomplete, and ${JSON.stringify(word)} is not an ID in it`,
      `Use an ID that \`gpuctl ${list}\` shows, or change the key in the service's dashboard. Nothing was changed.`,
    );
  }
  const [first, ...others] = keys.filter(({ record }) => firstAt(record, keyNamePaths) === word);
  if (first === undefined) {
    throw new NotFound(`${kind} ${JSON.stringify(word)} not found: it is neither an ID nor a name`, {
      request: null,
      hint: `\`gpuctl ${list}\` shows the IDs and names. Nothing was changed.`,
    });
  }
  if (others.length > 0) {
    const ids = [first, ...others].map(({ id }) => id).join(", ");
    throw new UsageError(`KEY ${JSON.stringify(word)} is the name of ${others.length + 1} keys: ${ids}`, {
      hint: "Use the ID of one of them. Nothing was changed.",
    });
  }
  return first;
}

/** The text for a key in a confirmation, such as `3 (laptop)`. */
export function keyText({ id, record }: NamedKey): string {
  const name = firstAt(record, keyNamePaths);
  return typeof name === "string" && name !== "" ? `${id} (${name})` : id;
}

type KeyContext = Pick<Context, "describe" | "progress" | "request" | "say" | "settings">;

interface KeyWrite {
  /** Fetches the keys. */
  readonly list: (context: Pick<Context, "describe" | "request" | "say">) => Promise<readonly unknown[]>;
  /** A sentence that says where the user can look if the outcome is unknown. */
  readonly look: string;
}

/**
 * Creates a key, sending the request once. If the outcome is unknown, the error says what is new in the list. Throws
 * `UnknownOutcome` if the response is not an object.
 */
export function createKey(
  { title, list, look }: KeyWrite & { readonly title: string },
  parts: RequestParts,
  context: KeyContext,
): Promise<unknown> {
  const { progress, request, settings } = context;
  const quick: KeyContext = {
    ...context,
    request: (parts) => request(parts, { retries: 0 }),
    say: () => {},
  };
  return progress(title, async () => {
    const before = settings.dryRun ? undefined : await idsOf(() => list(quick));
    return writeAndCheck(
      async () => objectOf(await request(parts)),
      look,
      async () => `${newSince("key", before, await idsOf(() => list(context)))} ${look}`,
    );
  });
}

/**
 * Removes a key, sending the request once. If the outcome is unknown, the error says whether the key is still listed.
 * Returns the object in the response, or an object with the key's id if the body is empty.
 */
export function removeKey(
  { id }: NamedKey,
  { list, look }: KeyWrite,
  parts: RequestParts,
  context: KeyContext,
): Promise<unknown> {
  return writeAndCheck(
    async () => {
      const response = await context.request(parts);
      return response.text().trim() === "" ? { id, success: true } : objectOf(response);
    },
    look,
    async () => {
      const ids = await idsOf(() => list(context));
      return ids ? `Key ${id} is ${ids.includes(id) ? "still" : "no longer"} listed. ${look}` : look;
    },
  );
}
