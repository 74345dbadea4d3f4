import { keyVariable } from "../../core/runtime/key-variable.ts";
import { type BatchJob, type Note, retryLoop, shardFiles, shellLine } from "./job.ts";

/** The maximum number of jobs that `parallel` can start. */
export const maxGitLabShards = 200;

/** A pipeline with a job for each shard, and a job that merges them. */
export function gitLabPipeline(job: BatchJob): object {
  const { shards, image, run, merge, out, environment } = job;
  const paths = shardFiles(out, job);
  return {
    stages: ["batch", "merge"],
    default: { image },
    batch: {
      stage: "batch",
      parallel: shards,
      ...(Object.keys(environment).length > 0 && { variables: environment }),
      cache: { key: "$CI_PIPELINE_ID-$CI_NODE_INDEX", paths, when: "always" },
      script: [retryLoop(shellLine(run, `--shards ${shards}`))],
      artifacts: { paths, when: "always" },
    },
    merge: {
      stage: "merge",
      needs: ["batch"],
      when: "always",
      script: [shellLine(merge)],
      artifacts: { paths: [out], when: "always" },
    },
  };
}

export const gitLabNotes = ({ input, shards, sandbox }: BatchJob): readonly Note[] => [
  `Save this as .gitlab-ci.yml, or include it there.${sandbox ? "" : ` Store the key as the project's masked variable ${keyVariable}.`}`,
  `${input} must be in the repository. Each of the ${shards} jobs may run on a different machine, so its journal and output are kept in the cache and as an artifact. If you retry a job, the runners must share the cache: without its journal, the job would pay again for requests that are done.`,
];
