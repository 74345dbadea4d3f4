import type { BufferedResponse } from "../../client/response.ts";
import { NotFound, UnexpectedResponse, UsageError } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import { idOf } from "../../core/responses/rental.ts";
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

/** A key as a question names it, such as `3 (laptop)`. */
export function keyText({ id, record }: NamedKey): string {
  const name = firstAt(record, keyNamePaths);
  return typeof name === "string" && name !== "" ? `${id} (${name})` : id;
}

/** The object in the response to the creation of a key. Throws as `objectOf` does. */
export const createdKey = (response: BufferedResponse): unknown => objectOf(response);

/**
 * The object in the response to the removal of a key, or an object with the key's id if the body is empty. Throws as
 * `objectOf` does for any other response.
 */
export const removedKey = ({ id }: NamedKey, response: BufferedResponse): unknown =>
  response.text().trim() === "" ? { id, success: true } : objectOf(response);

interface Look {
  /** Fetches the keys. */
  readonly records: () => Promise<readonly unknown[]>;
  /** A sentence that says where the user can look. It is the whole result if the keys cannot be fetched. */
  readonly look: string;
}

/** After a removal with an unknown outcome: says whether the key is still listed. */
export const isStillListed = ({ id }: NamedKey, { records, look }: Look): Promise<string> =>
  records().then(
    (keys) => {
      const isListed = keys.some((key) => idOf(key) === id);
      return `Key ${id} is ${isListed ? "still" : "no longer"} listed. ${look}`;
    },
    () => look,
  );
