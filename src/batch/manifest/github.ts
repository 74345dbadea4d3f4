import { posix } from "node:path";
import { exit } from "../../core/exit-codes.ts";
import { keyVariable } from "../../core/runtime/key-variable.ts";
import { journalPath } from "../journal.ts";
import { shardOutput } from "../shard.ts";
import { type BatchJob, grace, makeFolder, type Note, retryLoop, shardFiles, shellLine } from "./job.ts";

/** The maximum number of jobs in a matrix. */
export const maxGitHubShards = 256;

/**
 * Time limit of the step that runs the shard, in minutes. GitHub ends a job after 360 minutes; the remaining 30 minutes
 * are for saving the journal.
 */
const timeout = 330;

const shard = expression("matrix.shard");

/** After a failed check, nothing has run. */
const checked = "always() && steps.check.outcome == 'success'";

/**
 * Files are saved only if gpuctl has ended: it could still send requests that are not in a saved journal, and the next
 * attempt would pay for them again.
 */
const stopped = "always() && steps.stop.outcome == 'success'";

/** A workflow with a job for each shard, and a job that merges them. */
export function gitHubWorkflow(job: BatchJob): object {
  const { name, shards, image, run, merge, out, environment, sandbox, secret } = job;
  const path = shardFiles(out, job, shard).join("\n");
  const earlier = `${name}-${expression("github.run_id")}-${shard}-`;
  const key = `${earlier}${expression("github.run_attempt")}`;
  const env = { ...environment, ...(!sandbox && { [keyVariable]: expression(`secrets.${secret}`) }) };
  const checkout = { uses: "actions/checkout@v4" };
  return {
    name,
    on: { workflow_dispatch: {} },
    permissions: { contents: "read" },
    jobs: {
      shard: {
        "runs-on": "ubuntu-latest",
        container: image,
        strategy: {
          "fail-fast": false,
          matrix: { shard: Array.from({ length: shards }, (_, index) => index) },
        },
        steps: [
          checkout,
          {
            id: "restore",
            name: "Restore the journal of the last attempt",
            uses: "actions/cache/restore@v4",
            with: { path, key, "restore-keys": earlier },
          },
          {
            id: "check",
            name: "Check the journal",
            env: { RESTORED: expression("steps.restore.outputs.cache-matched-key") },
            run: guard(journalOf(job), earlier),
          },
          {
            name: "Run the shard",
            "timeout-minutes": timeout,
            ...(Object.keys(env).length > 0 && { env }),
            run: `${makeFolder(job)}${retryLoop(recorded(shellLine(run, `--shard ${shard}/${shards}`)))}`,
          },
          { id: "stop", name: "Stop gpuctl", if: checked, run: stop },
          {
            name: "Keep the journal",
            if: stopped,
            uses: "actions/cache/save@v4",
            with: { path, key },
          },
          {
            name: "Keep the output",
            if: stopped,
            uses: "actions/upload-artifact@v4",
            with: { name: `${name}-${shard}`, path, overwrite: true },
          },
        ],
      },
      merge: {
        needs: "shard",
        if: expression("!cancelled()"),
        "runs-on": "ubuntu-latest",
        container: image,
        steps: [
          checkout,
          {
            uses: "actions/download-artifact@v4",
            // An artifact stores the paths of its files relative to their common folder.
            with: { pattern: `${name}-*`, path: posix.dirname(out), "merge-multiple": true },
          },
          { name: "Merge the shards", run: shellLine(merge) },
          {
            // If lines have failed or are left, the merge writes the output, but its exit code is not 0.
            if: "always()",
            uses: "actions/upload-artifact@v4",
            with: { name, path: out, overwrite: true },
          },
        ],
      },
    },
  };
}

function expression(text: string): string {
  return `\${{ ${text} }}`;
}

/** GitHub empties this folder before each job. */
const pidFile = '"$RUNNER_TEMP/gpuctl.pid"';
const stopFile = '"$RUNNER_TEMP/gpuctl.stop"';

/** Shell lines that run a command line and, while it runs, keep its process ID in a file. */
const recorded = (line: string): string =>
  `[ ! -e ${stopFile} ] || return ${exit.interrupted}
${line} &
echo $! > ${pidFile}
ended=0
wait $! || ended=$?
rm ${pidFile}
return $ended
`;

/** Seconds until gpuctl gets a second SIGTERM, which cuts off the requests in flight. */
const again = grace;
/** Seconds until gpuctl is killed. */
const killed = grace + 30;
/** Seconds until the step fails. */
const givenUp = grace + 40;

/**
 * Shell lines that end gpuctl. A step that reaches its time limit or is canceled ends for GitHub, but its processes in
 * the container get no signal and go on.
 */
const stop = `touch ${stopFile}
sleep 1
waited=0
while [ -e ${pidFile} ]; do
  case $waited in
    0 | ${again}) signal=TERM ;;
    ${killed}) signal=KILL ;;
    ${givenUp})
      echo "gpuctl is still running, so its journal is not saved" >&2
      exit 1
      ;;
    *) signal=0 ;;
  esac
  kill -$signal "$(cat ${pidFile})" 2> /dev/null || break
  sleep 1
  waited=$((waited + 1))
done
`;

const journalOf = ({ out, shards }: BatchJob): string =>
  journalPath(shardOutput(out, { index: 0, count: shards })).replace(`.0-of-`, `.${shard}-of-`);

/**
 * Shell lines that end a repeated attempt if the journal of the attempt right before it is missing. Without that
 * journal, the repeated attempt would pay again for finished requests. An older journal does not have the requests that
 * were sent after it was saved.
 * @param earlier the start of the keys under which the journals of this shard are saved; in a key, the number of the
 * attempt follows
 */
const guard = (journal: string, earlier: string): string =>
  `[ "$GITHUB_RUN_ATTEMPT" -gt 1 ] || exit 0
last=$((GITHUB_RUN_ATTEMPT - 1))
if [ "$RESTORED" != "${earlier}$last" ] || [ ! -e "${journal}" ]; then
  echo "The journal of attempt $last is missing. A new run of the workflow sends and pays for all lines of all shards" >&2
  exit 1
fi
`;

export const gitHubNotes = ({
  name,
  secret,
  input,
  shards,
  keyCommand,
  sandbox,
}: BatchJob): readonly Note[] => [
  `Save this as .github/workflows/${name}.yml.${sandbox ? "" : " Store the key as a secret of the repository."} Then start the workflow:`,
  [
    ...(sandbox ? [] : [`${keyCommand === undefined ? "" : `${keyCommand} | `}gh secret set ${secret}`]),
    `gh workflow run ${name}.yml`,
  ],
  `${input} must be in the repository. Each of the ${shards} jobs has a disk of its own, so its journal and output are kept in the cache and as an artifact. To continue the shards that are not complete:`,
  ["gh run rerun --failed RUN"],
];
