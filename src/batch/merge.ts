import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { UsageError } from "../core/errors.ts";
import { asRecord, isRecord, parseJson } from "../core/json.ts";
import { copyTexts, stringifyExactly } from "../core/values/exact-numbers.ts";
import { type BatchFiles, diskFiles } from "./files.ts";
import { requestHash, type Source } from "./input/lines.ts";
import { serviceText } from "./journal.ts";
import { leftOf, missingShards, type Part, resultsOf } from "./outputs.ts";
import { ownLinesOf } from "./read-lines.ts";
import { isOfShard, type Shard, shardIndex } from "./shard.ts";

/** What is missing from a merged output. */
export interface Missing {
  /** How many lines have no result and can be sent: lines that were in flight when a run ended do not count. */
  readonly count: number;
  /** The first IDs of these lines; empty if the input was not read. */
  readonly ids: readonly string[];
  /** How many lines of the input were changed after they were sent. */
  readonly changed: number;
  /** How many results are for lines that are not in the input; undefined if the input was not read. */
  readonly extra: number | undefined;
}

/**
 * Checks that outputs belong together: either they are different shards out of the same total, such as 1/4 and 3/4, or
 * none of them is a shard. Also checks that all results come from one service.
 * @throws UsageError
 */
export function assertTogether(parts: readonly Part[]): void {
  const [first] = parts;
  for (const [position, { out, shard }] of parts.entries()) {
    if (shard?.count !== first?.shard?.count) {
      throw new UsageError(`${first?.out} is ${kindOf(first?.shard)}, but ${out} is ${kindOf(shard)}`);
    }
    const same = parts.slice(0, position).find((other) => shard && other.shard?.index === shard.index);
    if (same)
      throw new UsageError(`${same.out} and ${out} are both shard ${shard?.index} of ${shard?.count}`);
  }
  // A journal of an earlier version does not name its service.
  const [known, ...others] = parts.flatMap((part) => {
    const { out, service } = part;
    return service !== undefined && resultsOf(part) > 0 ? [{ out, service }] : [];
  });
  const other = others.find(({ service }) => service !== known?.service);
  if (known && other) {
    throw new UsageError(
      `${known.out} has results of ${serviceText(known.service)}, but ${other.out} has results of ${serviceText(other.service)}`,
      { hint: "Merge only outputs of one service." },
    );
  }
}

const kindOf = (shard: Shard | null | undefined): string =>
  shard ? `one of ${shard.count} shards` : "not a shard";

/**
 * The lines of the outputs, each with its line feed, one output after the other. Leaves out results that do not count
 * according to the journal. Only one line is in memory at a time. Relative paths of pictures and recordings become
 * relative to `folder`.
 * @throws UsageError if an output does not match its journal or its shard, or if an ID occurs twice
 */
export async function* mergedLines(
  parts: readonly Part[],
  folder: string,
  { read, size }: Pick<BatchFiles, "read" | "size"> = diskFiles,
): AsyncGenerator<string> {
  const mergedFolder = await realFolder(folder);
  for (const [position, part] of parts.entries()) {
    const { out, ledger, shard, outputEnd } = part;
    const way = relative(mergedFolder, await realFolder(dirname(out)));
    // Here, the line numbers in the ledger are those of the output, not those of the input.
    let results = 0;
    for await (const { text, number, end } of ownLinesOf(read(out), out)) {
      if (end > outputEnd) break;
      const at = `${out}:${number}`;
      const line = asRecord(parseJson(text));
      const { custom_id: id } = line;
      const entry = typeof id === "string" ? ledger.find(id) : undefined;
      if (typeof id !== "string" || entry === undefined) {
        throw new UsageError(`${at} has no entry in the journal of ${out}`);
      }
      if (!hasResult(part, entry)) continue;
      if (shard && !isOfShard(id, shard)) {
        throw new UsageError(
          `${at}: ${JSON.stringify(id)} does not belong to shard ${shard.index} of ${shard.count}`,
        );
      }
      const other = shard ? undefined : parts.slice(0, position).find((earlier) => hasResultFor(earlier, id));
      if (ledger.line(entry) > 0 || other) {
        throw new UsageError(
          `${at}: ${JSON.stringify(id)} is also in ${other?.out ?? `line ${ledger.line(entry)}`}`,
        );
      }
      ledger.setLine(entry, number);
      results += 1;
      yield `${way === "" ? text : stringifyExactly(withPaths(line, way))}\n`;
    }
    const expected = resultsOf(part);
    if (results !== expected) {
      const [problem, hint] =
        (await size(out)) === undefined
          ? ["is missing", "Restore that file."]
          : [`has ${counted(results)}`, "The output was changed. Restore it."];
      throw new UsageError(`${out} ${problem}, but its journal has ${counted(expected)}`, { hint });
    }
  }
}

/** The path of a folder without symbolic links: in a path with `..`, the system resolves links before `..`. */
const realFolder = (path: string): Promise<string> => realpath(path).catch(() => path);

const counted = (results: number): string => `${results} result${results === 1 ? "" : "s"}`;

/** The same line, with `way` put before its relative paths. */
function withPaths(line: Readonly<Record<string, unknown>>, way: string): object {
  const { response } = line;
  if (!isRecord(response) || !isRecord(response.body)) return line;
  const { body } = response;
  const { images, others } = body;
  const movedFile = (file: unknown) => (isRecord(file) ? withPath(file, way) : file);
  const moved = copyTexts(body, {
    ...withPath(body, way),
    ...(Array.isArray(images) && { images: images.map(movedFile) }),
    ...(Array.isArray(others) && { others: others.map(movedFile) }),
  });
  return copyTexts(line, { ...line, response: copyTexts(response, { ...response, body: moved }) });
}

const withPath = (file: Readonly<Record<string, unknown>>, way: string): object =>
  typeof file.path === "string" && typeof file.sha256 === "string" && !isAbsolute(file.path)
    ? copyTexts(file, { ...file, path: `${way.split(sep).join("/")}/${file.path}` })
    : file;

const hasResult = ({ ledger }: Part, entry: number): boolean =>
  ["done", "failed", "unknown"].includes(ledger.state(entry));

function hasResultFor(part: Part, id: string): boolean {
  const entry = part.ledger.find(id);
  return entry !== undefined && hasResult(part, entry);
}

/** Whether a line was in flight when the run of a part ended. */
function wasInFlight({ ledger }: Part, id: string): boolean {
  const entry = ledger.find(id);
  return entry !== undefined && ledger.state(entry) === "sent";
}

/** The maximum number of listed IDs. */
const maxIds = 10;

/**
 * Compares results with the input.
 * @throws UsageError for a line that is not a request
 */
export async function missingFrom(parts: readonly Part[], input: Source): Promise<Missing> {
  const ids: string[] = [];
  const shards = parts[0]?.shard?.count;
  let [count, changed, known] = [0, 0, 0];
  for await (const lines of input()) {
    for (const line of lines) {
      if ("problems" in line) throw new UsageError(`--requests: line ${line.number}: ${line.problems[0]}`);
      const index = shards && shardIndex(line.id, shards);
      const part =
        shards === undefined
          ? (parts.find((one) => hasResultFor(one, line.id)) ??
            parts.find((one) => wasInFlight(one, line.id)))
          : parts.find(({ shard }) => shard?.index === index);
      const entry = part?.ledger.find(line.id);
      if (part && entry !== undefined && part.ledger.state(entry) !== "pending") {
        if (hasResult(part, entry)) known += 1;
        if (part.ledger.request(entry) !== requestHash(line)) changed += 1;
      } else {
        count += 1;
        if (ids.length < maxIds) ids.push(line.id);
      }
    }
  }
  return { count, ids, changed, extra: sum(parts.map(resultsOf)) - known };
}

/**
 * What is missing, according to the number of lines that the runs found in the input. Undefined if a shard is missing
 * or a run has not read the whole input.
 */
export function missingByCount(parts: readonly Part[]): Missing | undefined {
  if (missingShards(parts).length > 0 || parts.some(({ lines }) => lines === undefined)) return undefined;
  const count = sum(parts.map((part) => leftOf(part, { isRunning: false }) ?? 0));
  return { count, ids: [], changed: 0, extra: undefined };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
