import type { Call } from "../../client/call.ts";
import type { CommandNode } from "../../command-kit/tree.ts";
import { isLabelled, type Labelled, type LiveValue, mayBeLabel, parseId } from "../../command-kit/values.ts";
import { routes } from "../../contract/generated/routes.ts";
import { WaitedTooLong } from "../../core/errors.ts";
import { asRecord, valueAt } from "../../core/json.ts";
import { limitAfter } from "../../core/values/durations.ts";

/** A field of the input that holds one or more IDs. */
interface IdField {
  readonly kind: Labelled;
  /** The names that lead to the field. */
  readonly path: readonly string[];
  /** The argument or flag that sets it, for messages. */
  readonly source: string;
}

interface Lookup {
  readonly dryRun: boolean;
  readonly call: Call;
  readonly say: (line: string) => void;
  /**
   * Maximum time to look up all labels, in milliseconds. A time below `minLookUp` counts as `minLookUp`. If undefined,
   * only each single request has a time limit.
   */
  readonly waitTimeout?: number | undefined;
}

/**
 * Replaces labels with IDs in the fields that take rentals or volumes. For a command that changes something, prints
 * which ID a label stands for. In a dry run, looks nothing up. Throws the same errors as `idFor`, and `WaitedTooLong`
 * at the timeout.
 */
export async function withIds(
  node: CommandNode,
  input: object,
  { dryRun, call: unlimited, say, waitTimeout }: Lookup,
): Promise<object> {
  const labelled = idFields(node).filter(({ path }) =>
    [valueAt(input, path.join("."))].flat().some(mayBeLabel),
  );
  if (labelled.length === 0 || node.operation === undefined) return input;
  if (dryRun) {
    say("A dry run does not look up labels, so the request shows the label in place of the ID.");
    return input;
  }
  const { method, fields } = routes[node.operation];
  const call = waitTimeout === undefined ? unlimited : await withinTime(waitTimeout, unlimited);
  const { idFor } = (await import("../../command-kit/rentals/labels.ts")).labelLookup({
    call,
    isRead: method === "GET",
  });
  const resolved = async ({ kind, path: [name], source }: IdField, word: unknown): Promise<unknown> => {
    const id = mayBeLabel(word) ? await idFor(kind, word, source) : undefined;
    if (id === undefined) return word;
    if (method !== "GET") say(`${JSON.stringify(word)} is ${kind} ${id}.`);
    return fields.find((field) => field.name === name)?.kind === "string" ? id : parseId(id);
  };
  let replaced = input;
  for (const field of labelled) {
    const value = valueAt(input, field.path.join("."));
    const id = Array.isArray(value)
      ? [...new Set(await Promise.all(value.map((word) => resolved(field, word))))]
      : await resolved(field, value);
    replaced = withValue(replaced, field.path, id);
  }
  return replaced;
}

/** The same call, except that all calls together take at most the longer of `timeout` and `minLookUp`. */
async function withinTime(timeout: number, call: Call): Promise<Call> {
  const { minLookUp } = await import("../../client/rentals/waiting.ts");
  const limit = limitAfter(Math.max(minLookUp, timeout));
  return (id, input, options) =>
    call(id, input, { ...options, signal: limit }).catch((error: unknown) => {
      if (error !== limit.reason) throw error;
      throw new WaitedTooLong(
        "timed out waiting: the label could not be looked up in time",
        "The rental was not changed and may still be billed.",
        { request: null },
      );
    });
}

/** The fields that hold IDs of rentals or volumes. */
const idFields = ({ args, flags }: CommandNode): readonly IdField[] => [
  ...args.flatMap(({ name, field, completes }) => idField(completes, field, name)),
  ...flags.flatMap(({ names: [name], field, setsFields, completes }) =>
    idField(completes, field ?? setsFields?.[0], `--${name}`),
  ),
];

const idField = (
  kind: LiveValue | undefined,
  path: string | undefined,
  source: string,
): readonly IdField[] =>
  path !== undefined && isLabelled(kind) ? [{ kind, path: path.split("."), source }] : [];

function withValue(record: unknown, [name = "", ...rest]: readonly string[], value: unknown): object {
  const before = asRecord(record);
  return { ...before, [name]: rest.length === 0 ? value : withValue(before[name], rest, value) };
}
