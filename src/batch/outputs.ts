import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, readFailed, UsageError } from "../core/errors.ts";
import { hostOf, lockOwner, type Processes, pidOf } from "../core/tasks/lock.ts";
import { quoted } from "../core/text.ts";
import { type Known, readKnown } from "./engine/open.ts";
import { diskFiles } from "./files.ts";
import { journalPath, readJournal } from "./journal.ts";
import { type Shard, shardOutput } from "./shard.ts";

const journalExtension = journalPath("");

/** The parts of the name of a shard's output: `answers`, `0` and `8` of `answers.0-of-8.jsonl`. */
const shardName = /^(.*)\.(\d+)-of-(\d+)\.jsonl$/;

/** The output of the whole batch to which a shard's output belongs. Any other path is returned unchanged. */
export const wholeOutput = (out: string): string => out.replace(shardName, "$1.jsonl");

/**
 * The outputs that have a journal. `path` is a folder with outputs, the output of a whole batch, or the output of a
 * shard.
 * @throws UsageError if there is none
 */
export async function outputsAt(path: string): Promise<readonly string[]> {
  const facts = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw readFailed("OUT", path, error);
  });
  const found = facts?.isDirectory()
    ? await outputsIn(path)
    : (await outputsIn(dirname(path))).filter(
        (out) => basename(out) === basename(path) || isShardOf(out, path),
      );
  if (found.length === 0) {
    throw new UsageError(`OUT ${path}: there is no batch here, because there is no journal`, {
      hint: `Each batch has a journal next to its output: for answers.jsonl, it is ${journalPath("answers.jsonl")}.`,
    });
  }
  return found;
}

const isShardOf = (out: string, whole: string): boolean =>
  wholeOutput(basename(out)) !== basename(out) &&
  [basename(whole), `${basename(whole)}.jsonl`].includes(wholeOutput(basename(out)));

/**
 * Throws `UsageError` if the batch with this output has begun with another number of shards: each number divides the
 * lines differently, so some lines would be paid for twice. Shards of the same batch may start at any time. If this
 * run has a shard, also throws if `whole` is the output of a single shard.
 * @param whole the output of the whole batch
 */
export async function assertSameShards(whole: string, shard: Shard | undefined): Promise<void> {
  const isOther = (out: string) =>
    basename(out) === basename(whole)
      ? shard !== undefined
      : isShardOf(out, whole) && Number(shardName.exec(basename(out))?.[3]) !== shard?.count;
  for (const out of (await outputsIn(dirname(whole))).filter(isOther)) {
    const begun = await shardOf(out);
    if (begun === undefined) continue;
    if (begun && basename(out) === basename(whole)) {
      throw new UsageError(
        `--out ${basename(out)} is the output of ${named(begun)}, not of the whole batch`,
        {
          hint: `Nothing was sent. To continue the batch, pass --out ${quoted(wholeOutput(out))}.`,
        },
      );
    }
    if (begun?.count === shard?.count) continue;
    const again = begun ? `--shard I/${begun.count}` : "no --shard";
    throw new UsageError(
      `this run ${divided(shard)}, but the batch ${divided(begun)}: ${journalPath(out)} belongs to ${named(begun)}`,
      {
        hint: `Nothing was sent. To finish the batch, run it with ${again}. To start over and pay for every line again, pass another --out.`,
      },
    );
  }
}

const divided = (shard: Shard | null | undefined): string =>
  shard ? `has ${shard.count} shard${shard.count === 1 ? "" : "s"}` : "has no shards";

const named = (shard: Shard | null): string =>
  shard ? `shard ${shard.index} of ${shard.count}` : "a batch without shards";

/**
 * The shard in the header of an output's journal; null if the batch has no shards. Undefined if the journal is missing
 * or still empty.
 */
async function shardOf(out: string): Promise<Shard | null | undefined> {
  const path = journalPath(out);
  for await (const { record } of readJournal(path, diskFiles.read(path))) {
    return record.event === "header" ? record.shard : undefined;
  }
  return undefined;
}

/** The outputs in a folder, in natural order. */
async function outputsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw readFailed("OUT", folder, error);
  });
  const { compare } = new Intl.Collator("en", { numeric: true });
  return names
    .filter((name) => name.endsWith(journalExtension) && name !== journalExtension)
    .sort(compare)
    .map((name) => join(folder, name.slice(0, -journalExtension.length)));
}

/** After this many milliseconds without a change of its lock file, a process counts as ended. */
const stale = 60_000;

/**
 * The process that runs the batch with this output: `4711`, or `4711 on node-3` if it runs on another machine.
 * Undefined if there is none.
 */
export async function runningProcess(
  out: string,
  { isHere, isRunning }: Processes,
): Promise<string | undefined> {
  const journal = journalPath(out);
  const owner = await lockOwner(journal);
  const lock = await stat(`${journal}.lock`).catch(() => undefined);
  if (owner === undefined || !lock || !isRunning(owner) || Date.now() - lock.mtimeMs > stale)
    return undefined;
  const pid = pidOf(owner);
  return isHere(owner) ? pid : `${pid} on ${hostOf(owner)}`;
}

/** An output, and what its journal says. */
export interface Part extends Pick<Known, "ledger" | "costs" | "lines" | "extra" | "service" | "outputEnd"> {
  readonly out: string;
  /** Null if the batch has no shards. */
  readonly shard: Shard | null;
}

/** Reads the journal of an output. Undefined if the journal is missing or still empty. */
export async function readPart(out: string): Promise<Part | undefined> {
  const { shard, ...known } = await readKnown(diskFiles, out);
  return shard === undefined ? undefined : { out, shard, ...known };
}

/** The indexes of the shards to which none of `parts` belongs; empty if the batch has no shards. */
export function missingShards(parts: readonly Pick<Part, "shard">[]): readonly number[] {
  const present = new Set(parts.map(({ shard }) => shard?.index));
  return Array.from({ length: parts[0]?.shard?.count ?? 0 }, (_, index) => index).filter(
    (index) => !present.has(index),
  );
}

/**
 * Whether an output has lines, but its journal is missing or still empty. It is not known what such a batch has sent,
 * so the batch must not be reported as one that did not run.
 */
export const lacksJournal = async (out: string): Promise<boolean> =>
  ((await diskFiles.size(out)) ?? 0) > 0 && (await shardOf(out)) === undefined;

/** The outputs of the shards that `missingShards` returns, in the folder of the first part. */
export function missingOutputs(parts: readonly Pick<Part, "out" | "shard">[]): readonly string[] {
  const [first] = parts;
  if (!first?.shard) return [];
  const { count } = first.shard;
  return missingShards(parts).map((index) => shardOutput(wholeOutput(first.out), { index, count }));
}

/** Which of these outputs have lines, but a journal that is missing or empty. Some of the outputs may not exist. */
export async function outputsWithoutJournal(outputs: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const out of outputs) if (await lacksJournal(out)) found.push(out);
  return found;
}

/** How many results there are, including those of lines that are no longer in the input. */
export const resultsOf = ({ ledger }: Pick<Part, "ledger">): number =>
  ledger.count("done") + ledger.count("failed") + ledger.count("unknown");

/**
 * How many lines of the input have no result; undefined if no run has read the input to its end. Lines in flight count
 * only if the run still goes on: otherwise, their outcome is unknown. If `batch retry` has removed results of lines
 * that are no longer in the input, the number is too high until the next run.
 */
export function leftOf(part: Part, { isRunning }: { readonly isRunning: boolean }): number | undefined {
  const { lines, extra, ledger } = part;
  if (lines === undefined) return undefined;
  const inFlight = isRunning ? 0 : ledger.count("sent");
  return Math.max(0, lines - Math.max(0, resultsOf(part) - extra) - inFlight);
}
