import { keyVariable } from "../../core/runtime/key-variable.ts";
import { quoted } from "../../core/text.ts";
import {
  type BatchJob,
  comments,
  grace,
  makeFolder,
  maxRetries,
  memory,
  type Note,
  retriedCodes,
  shellLine,
} from "./job.ts";

/** A batch script for `sbatch`: an array with a task for each shard. */
export function slurmScript(job: BatchJob): string {
  const { name, shards, run, environment, profile } = job;
  const exported = (variable: string, value: string) => `export ${variable}=${quoted(value)}\n`;
  const exports = [
    // A node that does not share the home folder has no profile.
    ...(profile === undefined ? [] : [`[ -n "$${keyVariable}" ] || ${exported("GPUCTL_PROFILE", profile)}`]),
    ...Object.entries(environment).map(([variable, value]) => exported(variable, value)),
  ];
  return `#!/bin/bash
#SBATCH --job-name=${name}
#SBATCH --array=0-${shards - 1}
#SBATCH --cpus-per-task=1
#SBATCH --mem=${memory.limit}M
#SBATCH --requeue
#SBATCH --signal=B:USR1@${grace}
#SBATCH --open-mode=append
#SBATCH --output=${name}-%A_%a.log

${comments(notes(job))}
${exports.join("")}${makeFolder(job)}out_of_time=
signaled=1
trap 'signaled=1; out_of_time=1; kill -TERM $!' USR1
trap 'signaled=1; kill -TERM $!' TERM INT
${shellLine(run, `--shards ${shards}`)} &
# A signal ends \`wait\` before gpuctl has ended.
while [ -n "$signaled" ]; do
  signaled=
  wait $!
  code=$?
done

case $code in
  ${retriedCodes.left} | ${retriedCodes.killed}) again=1 ;;
  # Only at the time limit: otherwise, someone has canceled the task.
  ${retriedCodes.interrupted} | ${retriedCodes.terminated}) again=$out_of_time ;;
  *) again= ;;
esac
if [ -n "$again" ] && [ "\${SLURM_RESTART_COUNT:-0}" -lt ${maxRetries} ]; then
  scontrol requeue "\${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit $code
`;
}

const notes = ({ shards, merge, sandbox }: BatchJob): readonly Note[] => [
  "Submit this in a folder that all nodes share:",
  ["sbatch job.sh"],
  "Slurm may run a task again on another node. Its journal, next to its output, must be available there: otherwise, the task pays again for requests that are done. If the journal is on a node's local disk, pin the task to that node with --nodelist, and copy all outputs and journals into one folder before the merge.",
  ...(sandbox
    ? []
    : [
        `If the nodes share your home folder, gpuctl uses the key of your profile. Otherwise, set ${keyVariable} before you submit this: sbatch passes it on.`,
      ]),
  `A task is queued again, up to ${maxRetries} times, if gpuctl was killed, ran out of time or exited with ${retriedCodes.left}. If this script itself was killed, queue the task again yourself:`,
  ["scontrol requeue JOB_TASK"],
  "To run some tasks again as a new job:",
  [`sbatch --array=${shards > 2 ? `1,${shards - 1}` : shards - 1} job.sh`],
  `The tasks are numbered from 0 to ${shards - 1}, like the shards. When all tasks have ended:`,
  [shellLine(merge)],
];
