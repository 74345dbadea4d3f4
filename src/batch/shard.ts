import { createHash } from "node:crypto";
import { UsageError } from "../core/errors.ts";
import type { Money } from "../core/values/money.ts";

/** One of `count` parts of a batch. `index` counts from 0. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/**
 * The maximum number of shards, the same as in Kubernetes. Missing shards are listed one by one, so without a limit,
 * the list could fill the memory.
 */
const maxShards = 100_000;

/** Whether these numbers, such as those in a journal, can be a shard. */
export const isShard = ({ index, count }: Shard): boolean =>
  Number.isInteger(index) && Number.isInteger(count) && index >= 0 && index < count && count <= maxShards;

/** The variables that platforms set for each task that they start. */
type ShardEnvironment = Readonly<
  Partial<
    Record<
      | "JOB_COMPLETION_INDEX"
      | "SLURM_ARRAY_TASK_ID"
      | "SLURM_ARRAY_TASK_MIN"
      | "SLURM_ARRAY_TASK_COUNT"
      | "CI_NODE_INDEX"
      | "CI_NODE_TOTAL",
      string
    >
  >
>;

/**
 * The shard to run: `shard` is the value of `--shard`, such as `0/8`. `shards` is the value of `--shards`; the index
 * then comes from the variable of a Kubernetes Indexed Job, a Slurm array or GitLab. Undefined if neither flag is set.
 * @throws UsageError if a value is invalid or missing, or if two values contradict each other
 */
export function shardFor({
  shard,
  shards,
  environment,
}: {
  readonly shard: string | undefined;
  readonly shards: number | undefined;
  readonly environment: ShardEnvironment;
}): Shard | undefined {
  if (shard !== undefined) return parsedShard(shard, shards);
  if (shards === undefined) return undefined;
  assertCount(shards);
  const found = sources.flatMap((indexIn) => indexIn(environment, shards) ?? []);
  const [first, ...others] = found;
  if (first === undefined) {
    throw new UsageError(
      "--shards needs JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID or CI_NODE_INDEX, and none of them is set",
      { hint: `Name the shard yourself: --shard 0/${shards} is the first.` },
    );
  }
  const other = others.find(({ index }) => index !== first.index);
  if (other) {
    throw new UsageError(
      `${first.variable} means shard ${first.index}, but ${other.variable} means shard ${other.index}`,
      {
        hint: `Name the shard yourself, such as --shard ${first.index}/${shards}.`,
      },
    );
  }
  if (first.index < 0 || first.index >= shards) {
    throw new UsageError(
      `${first.variable} means shard ${first.index}, but --shards ${shards} has shards 0 to ${shards - 1}`,
    );
  }
  return { index: first.index, count: shards };
}

function parsedShard(text: string, shards: number | undefined): Shard {
  const [, index, count] = (/^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []).map(Number);
  if (index === undefined || count === undefined || index >= count) {
    throw new UsageError(
      `--shard must be I/N with I from 0 to N-1, such as 0/8, not ${JSON.stringify(text)}`,
    );
  }
  if (shards !== undefined && shards !== count) {
    throw new UsageError(`--shard ${text} and --shards ${shards} differ in the number of shards`);
  }
  assertCount(count);
  return { index, count };
}

/** Throws `UsageError` for more shards than a batch can have. */
export function assertCount(count: number): void {
  if (count > maxShards) throw new UsageError(`there can be at most ${maxShards} shards, not ${count}`);
}

/** A number, and the variable that it comes from. */
interface Found {
  readonly index: number;
  readonly variable: string;
}

const sources: readonly ((environment: ShardEnvironment, shards: number) => Found | undefined)[] = [
  (environment) => numberIn(environment, "JOB_COMPLETION_INDEX"),
  slurmIndex,
  gitLabIndex,
];

/**
 * The index of the shard: the task's ID minus the lowest ID in the array. If only a part of the array runs, such as one
 * task that is run again, the lowest ID of that part may not belong to shard 0. In that case, the index of the shard is
 * the task's ID itself.
 */
function slurmIndex(environment: ShardEnvironment, shards: number): Found | undefined {
  const id = numberIn(environment, "SLURM_ARRAY_TASK_ID");
  if (id === undefined) return undefined;
  const count = numberIn(environment, "SLURM_ARRAY_TASK_COUNT");
  if (count !== undefined && count.index !== shards) return id;
  const first = numberIn(environment, "SLURM_ARRAY_TASK_MIN");
  return { ...id, index: id.index - (first?.index ?? 0) };
}

function gitLabIndex(environment: ShardEnvironment, shards: number): Found | undefined {
  const node = numberIn(environment, "CI_NODE_INDEX");
  if (node === undefined) return undefined;
  const total = numberIn(environment, "CI_NODE_TOTAL");
  if (total !== undefined && total.index !== shards) {
    throw new UsageError(`CI_NODE_TOTAL is ${total.index}, but --shards is ${shards}`, {
      hint: `Use --shards ${total.index}, or set \`parallel: ${shards}\` for this job in .gitlab-ci.yml.`,
    });
  }
  return { ...node, index: node.index - 1 };
}

function numberIn(environment: ShardEnvironment, variable: keyof ShardEnvironment): Found | undefined {
  const text = environment[variable];
  if (text === undefined || text === "") return undefined;
  if (!/^\d{1,9}$/.test(text)) {
    throw new UsageError(
      `${variable} must be a whole number of at most 9 digits, not ${JSON.stringify(text)}`,
    );
  }
  return { index: Number(text), variable };
}

/**
 * The index of the shard that runs the line with this ID, if there are `count` shards. It is the same on every machine
 * and in every version of gpuctl.
 */
export const shardIndex = (customId: string, count: number): number =>
  createHash("sha256").update(customId).digest().readUIntBE(0, 6) % count;

/** Whether a shard runs the line with this ID. */
export const isOfShard = (customId: string, { index, count }: Shard): boolean =>
  shardIndex(customId, count) === index;

const extension = ".jsonl";

/** The output of a shard: `answers.jsonl` becomes `answers.0-of-8.jsonl`. */
export function shardOutput(out: string, shard: Shard): string {
  const base = out.endsWith(extension) ? out.slice(0, -extension.length) : out;
  return `${base}.${shardFolder(shard)}${extension}`;
}

/**
 * The name of the folder for the pictures and recordings of a shard, such as `0-of-8`. Each shard of a batch has
 * another name, so the folders of shards on several machines can be copied into one folder.
 */
export const shardFolder = ({ index, count }: Shard): string => `${index}-of-${count}`;

/** Whether a name is that of the folder of a shard. */
export const isShardFolder = (name: string): boolean => /^\d+-of-\d+$/.test(name);

/** Shares are rounded down to whole billionths of a dollar, so that they are readable. */
const shareUnit = 10n ** 13n;

/**
 * What one shard may spend if all shards together have a limit. All shares are equal, and together they never exceed
 * the limit.
 */
export function shareOfCeiling(amount: Money, { count }: Shard): Money {
  const share = amount / BigInt(count);
  return share - (share % shareUnit);
}
