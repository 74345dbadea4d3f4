import { isAbsolute } from "node:path";
import { stringify } from "yaml";
import type { Endpoint } from "../../batch/input/lines.ts";
import { gitHubNotes, gitHubWorkflow, maxGitHubShards } from "../../batch/manifest/github.ts";
import { gitLabNotes, gitLabPipeline, maxGitLabShards } from "../../batch/manifest/gitlab.ts";
import { type BatchJob, comments, type Note } from "../../batch/manifest/job.ts";
import { kubernetesJob, kubernetesNotes } from "../../batch/manifest/kubernetes.ts";
import { slurmScript } from "../../batch/manifest/slurm.ts";
import { wholeOutput } from "../../batch/outputs.ts";
import { assertCount, shardOutput } from "../../batch/shard.ts";
import { arg } from "../../command-kit/arg.ts";
import type { CommandSettings } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { warnOfUnknownPrice } from "../../command-kit/inference.ts";
import { textResult } from "../../command-kit/results.ts";
import { UsageError } from "../../core/errors.ts";
import { withoutUndefined } from "../../core/json.ts";
import { keyVariable } from "../../core/runtime/key-variable.ts";
import { quoted } from "../../core/text.ts";
import { assertSecureUrl, originOf, originsOf } from "../../core/urls.ts";
import { defaultTimeout } from "../../core/values/defaults.ts";
import { decimalText } from "../../core/values/money.ts";
import { assertNotStdout } from "./format.ts";
import { assertPrompts, modelField, pricesFlag, pricesOf } from "./profile.ts";

const platforms = ["k8s", "slurm", "github", "gitlab"] as const;
type Platform = (typeof platforms)[number];

/** Extensions of INPUT that are replaced in the name of the output. */
const inputExtensions = [".jsonl", ".csv", ".txt"];

const oneOf = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

export default defineCommand({
  path: "batch manifest",
  summary: "Print a job that runs a batch in shards on Kubernetes, Slurm, GitHub or GitLab",
  details:
    "The job runs a shard again if gpuctl was killed, or exited with code 9, which means that the remaining requests can be sent safely. It also runs a shard again after a Slurm time limit, and if a Kubernetes pod was interrupted. No other failure is retried, because a new run would fail in the same way, or because you have to look at the results first. A journal next to the output of each shard records what the shard has sent. Comments in the job say where the key comes from, and which storage keeps the journals.",
  args: [
    arg.choice("PLATFORM", "What runs the job", platforms, { required: true }),
    arg.text("INPUT", "The file of requests or, if --endpoint is set, of prompts", { required: true }),
  ],
  flags: {
    shards: flag.integer("Number of shards; required", { minimum: 1 }),
    out: flag.text("Output of the whole batch; each shard writes its own file next to it", {
      value: "FILE",
      defaultText: `INPUT.out.jsonl; an extension ${oneOf(inputExtensions)} of INPUT is dropped`,
    }),
    endpoint: flag.choice("INPUT holds prompts for this endpoint", ["chat", "image", "tts"]),
    model: flag.text("Model for the prompts", { short: "m", value: "NAME" }),
    param: flag.params("Set a field of every request that is made from a prompt"),
    maxCost: flag.dollars(
      "Split this amount, in dollars, among the shards; each spends no more than its share",
    ),
    ...pricesFlag,
    concurrency: flag.integer("How many requests each shard sends at once", { minimum: 1 }),
    name: flag.text("Name of the job", { default: "gpuctl-batch" }),
    image: flag.text("Container image with gpuctl", {
      value: "IMAGE",
      defaultText: "gpuctl:VERSION with the version of this gpuctl; you build this image yourself",
    }),
    secret: flag.text("Secret that holds the key", {
      value: "NAME",
      defaultText: `on Kubernetes: gpuctl; on GitHub: ${keyVariable}`,
    }),
    claim: flag.text("PersistentVolumeClaim that holds INPUT and takes the output, on Kubernetes", {
      value: "NAME",
      default: "gpuctl-batch",
    }),
  },
  uses: ["typedFlags"],
  view: { kind: "document" },
  examples: [
    {
      text: "Print a Kubernetes Indexed Job with eight shards",
      command: "gpuctl batch manifest k8s requests.jsonl --shards 8 --max-cost 20 > job.yaml",
    },
    {
      text: "Print a Slurm array of 100 tasks that generate an image for each CSV row",
      command: "gpuctl batch manifest slurm prompts.csv --endpoint image --shards 100 > job.sh",
    },
  ],
  run: ({ args, flags: given, typedFlags, settings, say }) => {
    const { platform } = args;
    const isTyped = "max-cost" in typedFlags;
    // The price of speech is never known.
    const hasLimit = given.endpoint !== "tts" || isTyped;
    // The limit of the profile stops no line whose price is not known, but --max-cost in the job would.
    const [maxCost, defaultMaxCost] = isTyped ? [given.maxCost] : [undefined, given.maxCost];
    const flags = { ...given, maxCost, defaultMaxCost: hasLimit ? defaultMaxCost : undefined };
    const job = jobOf(args, flags, settings);
    const manifest = manifests[platform](job);
    const { sandbox, baseUrl, inferenceBaseUrl = baseUrl } = settings;
    if (inferenceBaseUrl === undefined && !sandbox && platform !== "slurm") {
      say("No base URL is configured. Set GPUCTL_BASE_URL in the job.");
    }
    if (!hasLimit) warnOfUnknownPrice("of speech", { settings, say });
    warnOfMissingPrices(flags, settings, say);
    return textResult(manifest.text, manifest.document, settings);
  },
});

interface Manifest {
  readonly text: string;
  readonly document: object;
}

/** The file for each platform. Throws `UsageError` for a job that cannot run there. */
const manifests: Readonly<Record<Platform, (job: BatchJob) => Manifest>> = {
  k8s: (job) => inYaml(job, kubernetesJob, kubernetesNotes),
  slurm: (job) => {
    const script = slurmScript(job);
    return { text: script, document: { script } };
  },
  github: (job) => {
    assertAtMost(maxGitHubShards, "GitHub", job);
    return inYaml(job, gitHubWorkflow, gitHubNotes);
  },
  gitlab: (job) => {
    assertAtMost(maxGitLabShards, "GitLab", job);
    return inYaml(job, gitLabPipeline, gitLabNotes);
  },
};

function inYaml(
  job: BatchJob,
  documentOf: (job: BatchJob) => object,
  notesOf: (job: BatchJob) => readonly Note[],
): Manifest {
  assertPortable(job);
  const document = documentOf(job);
  return { text: `${comments(notesOf(job))}${stringify(document, layout)}`, document };
}

/** `compat` quotes strings that YAML 1.1 parsers would read as booleans. */
const layout = { lineWidth: 0, compat: "yaml-1.1", aliasDuplicateObjects: false } as const;

interface ManifestFlags {
  readonly shards: number | undefined;
  readonly out: string | undefined;
  readonly endpoint: Endpoint | undefined;
  readonly model: string | undefined;
  readonly param: Readonly<Record<string, unknown>>;
  /** The limit that the user typed. */
  readonly maxCost: bigint | undefined;
  /** The limit of the profile. */
  readonly defaultMaxCost: bigint | undefined;
  readonly prices: string | undefined;
  readonly concurrency: number | undefined;
  readonly name: string;
  readonly image: string | undefined;
  readonly secret: string | undefined;
  readonly claim: string;
}

function jobOf(
  { platform, input }: { readonly platform: Platform; readonly input: string },
  flags: ManifestFlags,
  settings: CommandSettings,
): BatchJob {
  const { shards, endpoint, param, maxCost, defaultMaxCost, concurrency, name, claim } = flags;
  if (shards === undefined) throw new UsageError("--shards is required");
  assertCount(shards);
  assertNotStdout(flags.out);
  if (!/^[a-z\d]([-a-z\d]{0,61}[a-z\d])?$/.test(name)) {
    throw new UsageError(
      "--name must be at most 63 lower-case letters, digits and -, with no - at either end",
    );
  }
  if (endpoint !== undefined) assertPrompts("INPUT", input);
  assertOneLine({
    INPUT: input,
    "--out": flags.out,
    "--model": flags.model,
    "--image": flags.image,
    "--secret": flags.secret,
    "--claim": claim,
  });
  const out = flags.out ?? outputFor(input);
  const source = endpoint === undefined ? [input] : ["--prompts", input, "--endpoint", endpoint];
  if (mayHaveChats(flags)) pricesOf(flags.prices, settings);
  const prices = mayHaveChats(flags) ? (flags.prices ?? settings.profileValues["chat.prices"]) : undefined;
  const [model] = endpoint === undefined ? [] : Object.values(modelField(endpoint, flags.model, settings));
  const options = {
    model: flags.model,
    // The job may run without the profile, so the model and the prices of the profile are passed on. The model is
    // passed as a default, because `batch run` refuses to pay again for finished prompts if only a default has changed.
    "default-model": flags.model === undefined ? model : undefined,
    concurrency,
    "max-cost": maxCost === undefined ? undefined : decimalText(maxCost),
    "default-max-cost": defaultMaxCost === undefined ? undefined : decimalText(defaultMaxCost),
    prices,
  };
  return {
    name,
    shards,
    input,
    out,
    run: [
      ...["batch", "run", ...source, "--out", out],
      ...Object.entries(withoutUndefined(options)).flatMap(([flag, value]) => [`--${flag}`, String(value)]),
      ...Object.entries(param).flatMap(([key, value]) => ["--param", `${key}=${JSON.stringify(value)}`]),
      ...serviceWords(settings),
    ],
    merge: [
      ...["batch", "merge", out, ...(endpoint === undefined ? ["--requests", input] : [])],
      // The merge needs --out only if its default output is another file.
      ...(wholeOutput(shardOutput(out, { index: 0, count: shards })) === out ? [] : ["--out", out]),
    ],
    image: flags.image ?? `gpuctl:${settings.version}`,
    secret: flags.secret ?? (platform === "github" ? keyVariable : "gpuctl"),
    claim,
    environment: environmentOf(settings),
    profile: platform === "slurm" ? keyProfile(settings) : undefined,
    keyCommand: keyCommandFor(settings),
    sandbox: settings.sandbox,
  };
}

const mayHaveChats = ({ endpoint = "chat" }: Pick<ManifestFlags, "endpoint">): boolean => endpoint === "chat";

/** Warns that the shards would refuse lines, because they have a limit but do not know the prices of these lines. */
function warnOfMissingPrices(
  flags: Pick<ManifestFlags, "endpoint" | "maxCost" | "param" | "prices">,
  { profileValues }: CommandSettings,
  say: (line: string) => void,
): void {
  const { endpoint, maxCost, param, prices = profileValues["chat.prices"] } = flags;
  if (maxCost === undefined) return;
  if (endpoint === "tts") {
    say(
      "Warning: the price of speech is not known in advance, so the job exits with code 11 because of --max-cost.",
    );
  } else if (mayHaveChats(flags) && prices === undefined) {
    say(
      "Warning: no prices of chat models are known, so the job exits with code 11 if INPUT has chats. --prices sets prices.",
    );
  } else if (endpoint === "chat" && param.max_tokens === undefined) {
    say(
      "Warning: the price of a chat without max_tokens is not known, so the job exits with code 11 if INPUT has such chats. `--param max_tokens=N` sets max_tokens.",
    );
  }
}

function outputFor(input: string): string {
  const extension = inputExtensions.find((one) => input.endsWith(one)) ?? "";
  return `${input.slice(0, input.length - extension.length)}.out.jsonl`;
}

/** The profile, if the key comes from it. */
const keyProfile = ({ sandbox, credential, profile }: CommandSettings): string | undefined =>
  sandbox || credential === undefined || credential.source === keyVariable ? undefined : profile;

/**
 * The command line that prints the key for the job's service. Undefined if there is no key, or if it is the key of a
 * profile for another service.
 */
function keyCommandFor(settings: CommandSettings): string | undefined {
  const { credential, profileValues, baseUrl, inferenceBaseUrl = baseUrl } = settings;
  if (credential === undefined) return undefined;
  const profile = keyProfile(settings);
  if (profile === undefined) return "gpuctl auth token";
  const origin = originOf(inferenceBaseUrl);
  if (origin !== undefined && !originsOf(profileValues).includes(origin)) return undefined;
  return `gpuctl auth token --profile ${quoted(profile)}`;
}

function environmentOf({
  sandbox,
  baseUrl,
  inferenceBaseUrl,
}: CommandSettings): Readonly<Record<string, string>> {
  if (sandbox) return { GPUCTL_SANDBOX: "1" };
  return {
    ...(baseUrl !== undefined && { GPUCTL_BASE_URL: baseUrl }),
    ...(inferenceBaseUrl !== undefined && { GPUCTL_INFERENCE_BASE_URL: inferenceBaseUrl }),
  };
}

/**
 * The flags with which the job sends requests as gpuctl would here. A job that waits for a shorter time would cut off
 * requests that were paid for. Throws `InsecureUrl` if the job would refuse to send its key.
 */
function serviceWords(settings: CommandSettings): readonly string[] {
  const { sandbox, baseUrl, inferenceBaseUrl = baseUrl, insecureHttp, timeout, validate } = settings;
  if (!sandbox && inferenceBaseUrl !== undefined) assertSecureUrl(new URL(inferenceBaseUrl), settings);
  return [
    ...(timeout.inference === defaultTimeout.inference ? [] : ["--timeout", `${timeout.inference / 1000}s`]),
    ...(insecureHttp ? ["--insecure-http"] : []),
    ...(validate ? [] : ["--no-validate"]),
  ];
}

/** A line break in a comment of the job would end the comment, and the rest would run as a command. */
function assertOneLine(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text ?? "")) {
      throw new UsageError(`${name} must not contain line breaks or control characters`);
    }
  }
}

/**
 * Throws `UsageError` for a path that does not work on Kubernetes, GitHub or GitLab. There, the files are in the job's
 * own folder, and `$` is replaced in more places than in a shell.
 */
function assertPortable({ input, out }: BatchJob): void {
  for (const [name, path] of Object.entries({ INPUT: input, "--out": out })) {
    if (isAbsolute(path))
      throw new UsageError(`${name} must be a relative path: the job runs in a folder of its own`);
    if (path.split("/").includes("..")) {
      throw new UsageError(`${name} must not contain ..: the job keeps only files in its own folder`);
    }
    if (!/^[^$*?[\]"'\\]+$/.test(path)) {
      throw new UsageError(
        `${name} must not contain quotes or any of [ ] $ * ? \\ (${name === "INPUT" ? "rename the file" : "choose another name"})`,
      );
    }
  }
}

function assertAtMost(max: number, where: string, { shards }: BatchJob): void {
  if (shards > max) throw new UsageError(`--shards must be at most ${max} on ${where}, not ${shards}`);
}
