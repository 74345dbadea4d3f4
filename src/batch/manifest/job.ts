import { posix } from "node:path";
import { exit } from "../../core/exit-codes.ts";
import { quoted, wrap } from "../../core/text.ts";

/** A batch that a platform such as Kubernetes runs in shards. */
export interface BatchJob {
  readonly name: string;
  readonly shards: number;
  /** File of requests or prompts. */
  readonly input: string;
  /** Output of the whole batch. Each shard writes its own file next to it. */
  readonly out: string;
  /** The words after `gpuctl` that run the batch, without `--shard` and `--shards`. */
  readonly run: readonly string[];
  /** The words after `gpuctl` that merge the shards. */
  readonly merge: readonly string[];
  /** The container image with gpuctl. */
  readonly image: string;
  /** The name of the Kubernetes Secret or GitHub secret that holds the API key. */
  readonly secret: string;
  /** The PersistentVolumeClaim that holds the input and receives the output. */
  readonly claim: string;
  /** Environment variables that are not secret. */
  readonly environment: Readonly<Record<string, string>>;
  /** The profile that has the key, on nodes that share the home folder. Only for Slurm. */
  readonly profile: string | undefined;
  /** The command line that prints the key for the job's service; undefined if gpuctl has no key for it. */
  readonly keyCommand: string | undefined;
  /** Whether the batch runs against the sandbox, which needs no key. */
  readonly sandbox: boolean;
}

/** If a signal ended a process, its exit code is 128 plus the number of the signal. */
const killed = 128 + 9;
const terminated = 128 + 15;

/**
 * The exit codes after which a shard may run again: `left` (the remaining requests can be sent safely) and `killed` on
 * every platform; `interrupted` and `terminated` on Kubernetes, and on Slurm when the time limit is reached. After any
 * other failure, a new run would fail in the same way, or someone has to look first.
 */
export const retriedCodes = {
  left: exit.network,
  interrupted: exit.interrupted,
  killed,
  terminated,
} as const;

/** The maximum number of times that a shard is run again. */
export const maxRetries = 5;

/** Seconds that gpuctl gets after SIGTERM to finish the requests in flight. */
export const grace = 120;

/** Memory for a shard, in MiB. gpuctl needs less than 150 MiB for a million lines. */
export const memory = { request: 256, limit: 512 } as const;

/** A command line of gpuctl for a shell. `last` is appended unquoted, so that it can contain shell variables. */
export const shellLine = (words: readonly string[], last = ""): string =>
  ["gpuctl", ...words.map(quoted), ...(last === "" ? [] : [last])].join(" ");

/** Globs for the files of one shard, or of all shards, and for the folder of pictures and recordings. */
export function shardFiles(
  out: string,
  { shards }: Pick<BatchJob, "shards">,
  index = "*",
): readonly string[] {
  const base = out.replace(/\.jsonl$/, "");
  return [`${base}.${index}-of-${shards}*`, `${base}.files`];
}

/** The folder of the output, or undefined if it is the job's own folder. */
export function folderOf({ out }: Pick<BatchJob, "out">): string | undefined {
  const folder = posix.dirname(out);
  return folder === "." ? undefined : folder;
}

/** A shell line that makes the folder of the output. Git does not keep empty folders. */
export function makeFolder(job: Pick<BatchJob, "out">): string {
  const folder = folderOf(job);
  return folder === undefined ? "" : `mkdir -p ${quoted(folder)}\n`;
}

/**
 * Shell lines that run a shard and, if it was killed or requests are left, run it again on the same machine, because
 * its journal is there. (If a CI system retries a job, it may do so on another machine.) An interrupted shard is not
 * run again, because someone has canceled the job.
 * @param once shell lines that run gpuctl once and end with its exit code
 */
export const retryLoop = (once: string): string =>
  `run_shard() {
${once.replace(/^(?=.)/gm, "  ")}}
attempt=0
while :; do
  code=0
  run_shard || code=$?
  case $code in
    ${retriedCodes.left} | ${retriedCodes.killed}) ;;
    *) exit $code ;;
  esac
  attempt=$((attempt + 1))
  [ $attempt -le ${maxRetries} ] || exit $code
  sleep $((attempt * 30))
done
`;

/** A paragraph of a comment, or command lines. */
export type Note = string | readonly string[];

const commentWidth = 100;

/** Notes as comments in a shell script or in YAML. */
export const comments = (notes: readonly Note[]): string =>
  notes
    .map((note) =>
      (typeof note === "string" ? wrap(note, commentWidth) : note.map((line) => `  ${line}`))
        .map((line) => `# ${line}\n`)
        .join(""),
    )
    .join("#\n");
