import { exit } from "../../core/exit-codes.ts";
import { keyVariable } from "../../core/runtime/key-variable.ts";
import { type BatchJob, grace, makeFolder, type Note, retryLoop, shardFiles, shellLine } from "./job.ts";

/** The maximum number of jobs that `parallel` can start. */
export const maxGitLabShards = 200;

/** The variable that starts the batch. */
const starter = "RUN_BATCH";

/**
 * The batch runs only in a pipeline that is started by hand, even if the variable is stored in the project. Otherwise,
 * each push would run and pay for the whole batch.
 */
const byHand = (name: string): string => `$CI_PIPELINE_SOURCE =~ /^(web|api)$/ && $${starter} == "${name}"`;

/**
 * Shell lines that run a command line, but end it before the time limit of the job. At the limit, GitLab would stop
 * everything and save neither the journal nor the output. A sixth of the time is for starting the job and for saving.
 */
const inTime = (line: string): string =>
  `left=$((end - $(date +%s)))
[ $left -gt 0 ] || return ${exit.interrupted}
timeout -k ${grace + 30} $left ${line}
`;
const setEnd = `end=$(($(date +%s) + \${CI_JOB_TIMEOUT:-3600} * 5 / 6))\n`;

/** A pipeline with a job for each shard, and a job that merges them. */
export function gitLabPipeline(job: BatchJob): object {
  const { name, shards, image, run, merge, out, environment } = job;
  const paths = shardFiles(out, job);
  const started = { if: byHand(name) };
  return {
    stages: ["batch", "merge"],
    default: { image },
    batch: {
      stage: "batch",
      rules: [started],
      timeout: "6h",
      parallel: shards,
      ...(Object.keys(environment).length > 0 && { variables: environment }),
      cache: { key: "$CI_PIPELINE_ID-$CI_NODE_INDEX", paths, when: "always" },
      script: [`${makeFolder(job)}${setEnd}${retryLoop(inTime(shellLine(run, `--shards ${shards}`)))}`],
      artifacts: { paths, when: "always" },
    },
    merge: {
      stage: "merge",
      needs: ["batch"],
      rules: [{ ...started, when: "always" }],
      script: [shellLine(merge)],
      artifacts: { paths: [out], when: "always" },
    },
  };
}

export const gitLabNotes = ({ name, input, shards, sandbox }: BatchJob): readonly Note[] => [
  `Save this as .gitlab-ci.yml, or include it there.${sandbox ? "" : ` Store the key as the project's masked variable ${keyVariable}.`} The batch runs only in a pipeline that is started by hand, with this variable. Each such pipeline sends and pays for all lines:`,
  [`glab ci run --variables ${starter}:${name}`],
  `If GitLab does not let you set variables of a pipeline, store ${starter} with the value ${name} in the CI/CD settings of the project. A push still does not run the batch.`,
  `${input} must be in the repository. Each of the ${shards} jobs may run on a different machine, so its journal and output are kept in the cache and as an artifact. Before the time limit of the job, gpuctl is stopped, so that they can be saved. Do not cancel a job: GitLab would not save them.`,
  "To continue the shards that are not complete, retry their jobs, and then the merge. The runners must share the cache: without its journal, a job would pay again for requests that are done.",
];
