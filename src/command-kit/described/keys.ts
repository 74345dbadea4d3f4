import type { BufferedResponse } from "../../client/response.ts";
import { NotFound, UsageError } from "../../core/errors.ts";
import { firstAt, isRecord } from "../../core/json.ts";
import { idOf } from "../../core/responses/rental.ts";
import { assertSuccess } from "../../core/responses/success.ts";
import { UnknownOutcome } from "../../core/service-errors.ts";
import { jsonOf } from "../responses.ts";

/** A key of the account that a command acts on. */
export interface NamedKey {
  readonly id: string;
  readonly record: unknown;
}

export const keyNamePaths = ["name", "label", "title"];

/**
 * Finds a key by its id, or else by its name. `kind` is "SSH key" or "API key", and `list` is the command that lists
 * the keys. Throws `NotFound` if there is no such key. If several keys have the name, throws a `UsageError` that lists
 * their ids.
 */
export function keyNamed(word: string, records: readonly unknown[], kind: string, list: string): NamedKey {
  const keys = records.flatMap((record) => {
    const id = idOf(record);
    return id === undefined ? [] : [{ id, record }];
  });
  const byId = keys.find(({ id }) => id === word);
  if (byId) return byId;
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

/** The record of a key that was created. Throws `UnknownOutcome` for any other response. */
export const createdKey = (response: BufferedResponse): unknown => objectIn(response);

/**
 * The response to the removal of a key, or the key's id if the body is empty. Throws `UnknownOutcome` for any other
 * response.
 */
export const removedKey = ({ id }: NamedKey, response: BufferedResponse): unknown =>
  response.text().trim() === "" ? { id, success: true } : objectIn(response);

function objectIn(response: BufferedResponse): unknown {
  const value = jsonOf(response);
  const { status, request } = response;
  assertSuccess(value, status, request);
  if (!isRecord(value)) throw new UnknownOutcome("the response is not an object", status, request);
  return value;
}
