import type { Context } from "../../command-kit/context.ts";
import { isLabelled, type LiveValue, mayBeLabel } from "../../command-kit/values.ts";
import { asList, asRecord, firstAt, parseJson } from "../../core/json.ts";
import { createRedactor } from "../../core/redact.ts";
import { isWord, oneLine, plainText } from "../../output/text.ts";
import type { System } from "../../system/types.ts";
import { createNotes } from "../print/notes.ts";
import { type Live, liveRecords } from "../prompt/live.ts";
import { connect } from "../start/connection.ts";
import { createContext } from "../start/context.ts";
import { loadCommand } from "../start/run.ts";
import type { Services } from "../start/services.ts";
import { type Completion, cachePath, withLock, writeCache } from "./cache.ts";
import { parseRequest, settingsFor } from "./line.ts";

/** Time limit of the background request, in milliseconds. */
const requestTimeout = 5000;
/** Milliseconds after which the background process exits in any case. */
export const refreshTimeout = 2 * requestTimeout;

/**
 * Fetches values, without retries, from the service that a command would use, and caches them. Throws the same errors
 * as a command, and throws if another process is already refreshing these values.
 */
export async function refreshCache(
  argv: readonly string[],
  system: System,
  services: Services,
): Promise<void> {
  const request = parseRequest(argv);
  const { kind, operation } = request;
  const settings = settingsFor(request.cli, system);
  const path = cachePath(system.files.folders, request, settings);
  const requestSettings = {
    ...settings,
    quiet: true,
    retries: 0,
    timeout: { compute: requestTimeout, inference: requestTimeout },
  };
  const runtime = {
    settings: requestSettings,
    system,
    services,
    notes: createNotes(requestSettings, system.io.stderr),
    redactor: createRedactor(),
  };
  await withLock(path, { maxAge: refreshTimeout, now: system.clock.now() }, async () => {
    const connection = connect(runtime);
    try {
      const context = createContext(runtime, connection, system.clock.now);
      const values =
        kind === "operation-field"
          ? await fieldsOf(operation, context)
          : valuesOf(kind, await liveRecords(kind, context, async () => ({})));
      writeCache(path, { at: system.clock.now(), values });
    } finally {
      connection.close();
    }
  });
}

/**
 * The IDs of the records, each described by its label. The view of the list command names the fields with the ID and
 * the label. If commands also accept labels for this kind, adds each unique label, described by its ID.
 */
function valuesOf(kind: LiveValue, { records, view }: Live): readonly Completion[] {
  const paths = view.columns.find(({ title }) => title === "LABEL" || title === "NAME")?.paths ?? [];
  const rows = records
    .map((record) => ({ id: plainText(firstAt(record, view.id)), label: plainText(firstAt(record, paths)) }))
    .filter(({ id }) => isWord(id));
  const taken = rows.flatMap(({ id, label }) => [id, label]);
  const isUsable = (label: string) => isWord(label) && mayBeLabel(label) && isOnce(label, taken);
  return [
    ...rows.map(({ id, label }) => ({ value: id, description: oneLine(label, true) })),
    ...(isLabelled(kind) ? rows : [])
      .filter(({ label }) => isUsable(label))
      .map(({ id, label }) => ({ value: label, description: id })),
  ];
}

const isOnce = (text: string, texts: readonly string[]): boolean =>
  texts.indexOf(text) === texts.lastIndexOf(text);

/**
 * The fields of an operation as `api call` takes them: `NAME=` with its type, and `NAME=VALUE` for each value of a
 * field with choices. Throws the same errors as `api describe`.
 */
async function fieldsOf(operation: string, context: Context): Promise<readonly Completion[]> {
  const [, first = "", path] = /^(\S+)(?:\s+(.*))?$/.exec(operation) ?? [];
  const { run } = await loadCommand("api describe");
  const result = await run({ ...context, input: {}, flags: {}, args: { operation: first, path } });
  const fields = ("data" in result ? asList(asRecord(result.data).fields) : []).map(asRecord);
  const names = fields.map(({ name }) => String(name));
  return fields
    .filter(({ in: place, name }) => place !== "cookie" && !names.some((one) => one.startsWith(`${name}[`)))
    .flatMap(({ name, type, required, choices }) => {
      const key = /^list of /.test(String(type)) ? `${name}[]=` : `${name}=`;
      const values = choices === null ? constantsOf(String(type)) : asList(choices);
      const description = required === true ? `${type}, required` : String(type);
      return [
        { value: key, description },
        ...values.map((value) => ({ value: `${key}${value}`, description: "" })),
      ];
    })
    .filter(({ value }) => isWord(value));
}

/** All values of a type with a fixed set of values, such as `boolean` or `"a" or "b"`; empty for any other type. */
function constantsOf(type: string): readonly unknown[] {
  if (type === "boolean") return [true, false];
  const constants = type.split(" or ").map((word) => parseJson(word));
  return constants.includes(undefined) ? [] : constants;
}
