import { call } from "../client/call.ts";
import { type CompletionChunk, completionChunks } from "../client/completion/chunks.ts";
import { list } from "../client/list.ts";
import { stream } from "../client/stream.ts";
import { routes } from "../contract/generated/routes.ts";
import type { InputOf, OperationId, OutputOf } from "../contract/index.ts";
import type { Operation } from "../contract/operation.ts";
import { isRecord, recordsOf } from "../core/json.ts";
import { failureIn } from "../core/responses/success.ts";
import { nearest } from "../core/text.ts";
import type { OpenCall } from "./connection.ts";
import { InvalidInput } from "./errors.ts";
import type { StreamedId } from "./generated/types.ts";
import { shown } from "./options.ts";

export const isDocumented = (operation: string): operation is OperationId => Object.hasOwn(routes, operation);

/** Checks the input of a documented operation and sends it. */
export async function sendDocumented<Id extends OperationId>(
  id: Id,
  input: unknown,
  { settings, validate }: OpenCall,
): Promise<OutputOf<Id>> {
  const { effect } = routes[id];
  if (validate && Object.hasOwn(streams, id) && isRecord(input) && input.stream === true) {
    throw new InvalidInput(id, [{ path: ["stream"], message: "must not be true; use the method stream()" }]);
  }
  // `call` does not check paid responses, because the command line stores them before it checks them.
  const options = effect === "generate" ? { ...settings, problemIn: problemInGenerated } : settings;
  return call(id, await checked(id, input, validate), options);
}

/** Why a response cannot contain a generated result; undefined if it may contain one. */
const problemInGenerated = (value: unknown): string | undefined =>
  isRecord(value) ? failureIn(value) : "the response is not an object";

/** The records of a documented list, as they arrive. */
export async function* documentedRecords(
  id: OperationId,
  input: unknown,
  { settings, validate }: OpenCall,
): AsyncGenerator<unknown> {
  if (!routes[id].list)
    throw new TypeError(`iterate requires an operation that returns a list, not ${shown(id)}`);
  const listed = await list(id, await checked(id, input, validate), settings);
  if ("data" in listed) yield* recordsOf(listed.data) ?? [];
  else for await (const batch of listed.records) yield* batch;
}

/** The operations whose response can be streamed. */
const streams: Readonly<Record<StreamedId, true>> = { createChatCompletion: true };

/** The chunks of a streamed response. */
export async function* streamDocumented(
  id: StreamedId,
  input: unknown,
  { settings, validate }: OpenCall,
): AsyncGenerator<CompletionChunk> {
  if (!Object.hasOwn(streams, id)) {
    const known = Object.keys(streams).join(", ");
    throw new TypeError(`stream requires an operation that streams (${known}), not ${shown(id)}`);
  }
  const streamed = { ...(await checked(id, input, validate)), stream: true };
  settings.signal?.throwIfAborted();
  for await (const { isWhole: _, ...chunk } of completionChunks(await stream(id, streamed, settings))) {
    yield chunk;
  }
}

/**
 * Checks that an input is an object and, if `validate` is set, that it matches the contract, which is loaded only for
 * this check.
 * @throws InvalidInput
 */
async function checked<Id extends OperationId>(
  id: Id,
  input: unknown,
  validate: boolean,
): Promise<InputOf<Id>> {
  assertObject(id, input);
  if (validate) {
    const [{ check }, { operations }] = await Promise.all([
      import("../contract/check/check.ts"),
      import("../contract/index.ts"),
    ]);
    const operation: Operation = operations[id];
    const result = check(operation, input);
    const issues = result.ok ? unknownFields(operation, input) : result.issues;
    if (issues.length > 0) throw new InvalidInput(id, issues);
  }
  return input as InputOf<Id>;
}

/** Throws `InvalidInput` for an input that is not an object of fields. */
export function assertObject(operation: string, input: unknown): asserts input is Record<string, unknown> {
  if (!isRecord(input)) {
    throw new InvalidInput(operation, [
      { path: [], message: `must be an object of fields, not ${shown(input)}` },
    ]);
  }
}

/**
 * Returns issues for fields that the operation does not have. Most services ignore such fields, so a misspelled field
 * would have no effect.
 */
function unknownFields(
  { input: { def } }: Operation,
  input: Record<string, unknown>,
): InvalidInput["issues"] {
  if (def.type !== "object" || def.catchall !== undefined) return [];
  const known = Object.keys(def.shape);
  return Object.keys(input)
    .filter((name) => !known.includes(name) && input[name] !== undefined)
    .map((name) => {
      const [like] = nearest(name, known);
      const advice = like === undefined ? "" : `; did you mean ${like}?`;
      return { path: [name], message: `is not a field of this operation${advice}` };
    });
}
