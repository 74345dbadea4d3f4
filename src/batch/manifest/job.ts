import { exit } from "../../core/exit-codes.ts";
import { quoted, wrap } from "../../core/text.ts";

/** A batch to run in shards, as a job of a platform. */
export interface BatchJob {
  readonly name: string;
  readonly shards: number;
  /** File of requests or prompts. */
  readonly input: string;
  /** Output of the whole batch. Each shard writes its own file beside it. */
  readonly out: string;
  /** The words after `gpuctl` that run the batch, without the shard. */
  readonly run: readonly string[];
  /** The words after `gpuctl` that merge the shards. */
  readonly merge: readonly string[];
  /** The container image with gpuctl. */
  readonly image: string;
  /** Where the key is stored: the Secret of Kubernetes or GitHub. */
  readonly secret: string;
  /** The PersistentVolumeClaim with the input, where the output goes. */
  readonly claim: string;
  /** Environment variables that are not secret. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs against the sandbox, which needs no key. */
  readonly sandbox: boolean;
}

export const keyVariable = "GPUCTL_API_KEY";

/** A process that was ended by a signal has the exit code 128 plus the number of the signal. */
const killed = 128 + 9;
const terminated = 128 + 15;

/**
 * The exit codes after which a shard may run again: `left` (gpuctl knows that the remaining requests can be sent safely) and
 * `killed` everywhere; the other two on Kubernetes, and on Slurm at the time limit. After any other failure, a new run
 * would fail alike or someone has to look first.
 */
export const retriedCodes = {
  left: exit.network,
  interrupted: exit.interrupted,
  killed,
  terminated,
} as const;

/** How many times at most a shard runs again. */
export const maxRetries = 5;

/** Memory for a shard, in MiB. gpuctl needs less than 150 for any number of lines. */
export const memory = { request: 256, limit: 512 } as const;

/** A command line of gpuctl for a shell. `last` is appended as it is, for shell variables. */
export const shellLine = (words: readonly string[], last = ""): string =>
  ["gpuctl", ...words.map(quoted), ...(last === "" ? [] : [last])].join(" ");

/** The files of all shards, or of one, and the folder of pictures and recordings, as globs. */
export function shardFiles(
  out: string,
  { shards }: Pick<BatchJob, "shards">,
  index = "*",
): readonly string[] {
  const base = out.replace(/\.jsonl$/, "");
  return [`${base}.${index}-of-${shards}*`, `${base}.files`];
}

/**
 * Shell lines that run a shard again in the same place, where its journal is. CI systems retry a job on another machine.
 * An interruption is not repeated: someone has canceled the job.
 */
export const retryLoop = (line: string): string =>
  `attempt=0
while :; do
  code=0
  ${line} || code=$?
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

/** Notes as comments of a shell or of YAML. */
export const comments = (notes: readonly Note[]): string =>
  notes
    .map((note) =>
      (typeof note === "string" ? wrap(note, commentWidth) : note.map((line) => `  ${line}`))
        .map((line) => `# ${line}\n`)
        .join(""),
    )
    .join("#\n");
