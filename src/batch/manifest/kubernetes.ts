import type { Job } from "kubernetes-types/batch/v1";
import type { EnvVar } from "kubernetes-types/core/v1";
import { keyVariable } from "../../core/runtime/key-variable.ts";
import {
  type BatchJob,
  folderOf,
  grace,
  maxRetries,
  memory,
  type Note,
  retriedCodes,
  shellLine,
} from "./job.ts";

/** The folder where the claim is mounted. Paths are relative to this folder. */
const folder = "/data";

const container = "gpuctl";
const keyInSecret = "api-key";

/** An Indexed Job: each of its pods runs the shard with the pod's completion index. */
export function kubernetesJob(job: BatchJob): Job {
  const { name, shards, image, claim, run } = job;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: {
      completionMode: "Indexed",
      completions: shards,
      parallelism: shards,
      backoffLimitPerIndex: maxRetries,
      podFailurePolicy: {
        rules: [
          // The node was drained or is gone. This does not count as a retry.
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          {
            action: "FailIndex",
            onExitCodes: {
              containerName: container,
              operator: "NotIn",
              values: Object.values(retriedCodes),
            },
          },
        ],
      },
      template: {
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          // After SIGTERM, gpuctl finishes the requests that are in flight.
          terminationGracePeriodSeconds: grace,
          containers: [
            {
              name: container,
              image,
              workingDir: folder,
              command: ["gpuctl"],
              args: [...run, "--shards", String(shards)].map(literal),
              env: environmentOf(job),
              resources: {
                requests: { cpu: "500m", memory: `${memory.request}Mi` },
                limits: { memory: `${memory.limit}Mi` },
              },
              volumeMounts: [{ name: "data", mountPath: folder }],
            },
          ],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }],
        },
      },
    },
  };
}

/** Kubernetes replaces `$$` with `$`, and `$(NAME)` with the value of a variable, in arguments and in variables. */
const literal = (text: string): string => text.replaceAll("$", "$$$$");

const environmentOf = ({ environment, sandbox, secret }: BatchJob): EnvVar[] => [
  ...Object.entries(environment).map(([name, value]) => ({ name, value: literal(value) })),
  ...(sandbox
    ? []
    : [{ name: keyVariable, valueFrom: { secretKeyRef: { name: secret, key: keyInSecret } } }]),
];

const needsFolder = (folder: string | undefined): string =>
  folder === undefined ? "" : ` Create the folder ${folder} in it first.`;

const mountedByMany = (shards: number): string =>
  shards === 1 ? "" : ` All ${shards} pods mount it, so it must be ReadWriteMany.`;

/**
 * A command line that waits until the Job is Complete or Failed, and prints the Job's conditions. `kubectl wait` can
 * wait for only one condition, so it would not notice if the Job got the other one.
 */
const waitLine = (name: string): string =>
  `until kubectl get job/${name} -o jsonpath='{.status.conditions[*].type}' | grep -E 'Complete|Failed'; do sleep 10; done`;

export const kubernetesNotes = ({
  name,
  secret,
  claim,
  input,
  out,
  shards,
  merge,
  keyCommand,
  sandbox,
}: BatchJob): readonly Note[] => [
  ...(sandbox
    ? []
    : [
        keyCommand === undefined
          ? "Store the key in a Secret. Start the command, paste the key, and press Enter and Ctrl-D:"
          : "Store the key in a Secret:",
        [
          `${keyCommand === undefined ? "" : `${keyCommand} | `}tr -d '\\n' | kubectl create secret generic ${secret} --from-file=${keyInSecret}=/dev/stdin`,
        ],
      ]),
  `The claim ${claim} holds ${input} and receives the output.${needsFolder(folderOf({ out }))}${mountedByMany(shards)} It keeps the journals, so that a replacement pod continues where the previous pod stopped. On a volume that is deleted with its pod, the journal would be lost, and the replacement pod would pay again for requests that are done.`,
  `A pod that is killed, is interrupted or exits with ${retriedCodes.left} is replaced. After ${maxRetries} replacements, or after any other failure, its shard counts as failed, and the other shards continue. If the node of a pod is drained or gone, the replacement does not count.`,
  "The second of these commands waits until the Job is Complete or Failed:",
  ["kubectl apply -f job.yaml", waitLine(name)],
  `Then merge the outputs in a pod that mounts the claim at ${folder}:`,
  [shellLine(merge)],
];
