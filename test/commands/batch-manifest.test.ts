import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Job } from "kubernetes-types/batch/v1";
import { describe, expect, type TestContext, test } from "vitest";
import { parse } from "yaml";
import { exit } from "../../src/core/exit-codes.ts";
import { createCli } from "../support/cli.ts";
import { addProgram, createHome, runProgram } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { key, overNetwork, serviceUrl } from "../support/service.ts";
import { sample } from "../support/thorough.ts";

const platforms = ["k8s", "slurm", "github", "gitlab"];

const printed = new Map<string, string>();

/** The manifest that gpuctl prints if the key is in the environment. Each command line is run only once. */
async function manifest(
  platform: string,
  rest = "requests.jsonl --shards 8 --max-cost 20 --prices llama=0.60/2.40",
): Promise<string> {
  const line = `batch manifest ${platform} ${rest}`;
  const known = printed.get(line);
  if (known !== undefined) return known;
  const { run } = await createCli();
  const { code, out, err } = await run(line, overNetwork());
  expect({ code, err }).toEqual({ code: exit.done, err: "" });
  printed.set(line, out);
  return out;
}

const k8sJob = async (rest?: string): Promise<Job> => parse(await manifest("k8s", rest));

describe.each(platforms)("the manifest for %s", (platform) => {
  test("never contains the API key", async () => {
    expect(await manifest(platform)).not.toContain(key);
  });

  test("names the configured base URL, runs the batch and says how to merge its results", async () => {
    const text = await manifest(platform);
    expect(text).toContain(serviceUrl);
    expect(text.replaceAll(/\n *- /g, " ")).toContain(
      "batch run requests.jsonl --out requests.out.jsonl --max-cost",
    );
    expect(text).toContain("gpuctl batch merge requests.out.jsonl --requests requests.jsonl");
  });

  test("runs prompts with --endpoint, and passes on --model, --param and --concurrency", async () => {
    const text = await manifest(
      platform,
      "prompts.csv --endpoint image --model SSD --param steps=20 --concurrency 3 --shards 2 --out out/a.jsonl",
    );
    expect(text.replaceAll(/\n *- "?|"/g, " ").replaceAll(/ +/g, " ")).toContain(
      "batch run --prompts prompts.csv --endpoint image --out out/a.jsonl --model SSD --concurrency 3 --param steps=20",
    );
    expect(text).toContain("gpuctl batch merge out/a.jsonl\n");
  });

  test("passes on the time limit, --insecure-http and --no-validate", async () => {
    const { run } = await createCli();
    const line = `batch manifest ${platform} r.jsonl --shards 2 --base-url http://gateway.example`;
    const passedOn = async (rest: string, given = overNetwork()) => {
      const { out } = await run(`${line} ${rest}`, given);
      return out.replaceAll(/\n *- "?|"/g, " ").replaceAll(/ +/g, " ");
    };
    expect(await passedOn("--insecure-http --timeout 15m --no-validate")).toContain(
      "--out r.out.jsonl --timeout 900s --insecure-http --no-validate",
    );
    await run("config set timeout 1h");
    expect(await passedOn("--insecure-http")).toContain("--timeout 3600s --insecure-http");
  });

  test("is not printed if the job would refuse to send the key over plain http", async () => {
    const { run } = await createCli();
    const line = `batch manifest ${platform} r.jsonl --shards 2 --base-url http://gateway.example`;
    const { code, out, err } = await run(line, overNetwork());
    expect({ code, out }).toEqual({ code: exit.usage, out: "" });
    expect(err).toContain("refusing to send an API key over plain http to http://gateway.example");
    expect(err).toContain("--insecure-http");
    expect((await run(`${line} --inference-base-url https://a.example`, overNetwork())).code).toBe(0);
  });

  test("passes on the chat model and the prices from the profile, because the job has no profile", async () => {
    const { run } = await createCli();
    await run("config set chat.model llama");
    await run("config set chat.prices llama=0.60/2.40");
    const line = `batch manifest ${platform} p.txt --endpoint chat --shards 2 --max-cost 20`;
    const { out, err } = await run(`${line} --param max_tokens=100`, overNetwork());
    expect(out.replaceAll(/\n *- "?|"/g, " ").replaceAll(/ +/g, " ")).toContain(
      "--default-model llama --max-cost 20 --prices llama=0.60/2.40",
    );
    expect(err).toBe("");
    expect((await run(line, overNetwork())).err).toContain(
      "Warning: the price of a chat without max_tokens is not known",
    );
  });

  test("is not printed if --endpoint, which requires prompts, is given for a file of requests", async () => {
    const { run } = await createCli();
    const { code, err } = await run(
      `batch manifest ${platform} r.jsonl --endpoint chat --shards 2`,
      overNetwork(),
    );
    expect({ code, err }).toEqual({
      code: exit.usage,
      err: expect.stringContaining("INPUT must be a text file"),
    });
  });

  test("is printed with a warning if the shards have a cost limit and no prices of chat models are known", async () => {
    const { run } = await createCli();
    const warning = "Warning: no prices of chat models are known";
    const line = `batch manifest ${platform} p.txt --shards 2 --max-cost 20`;
    expect((await run(line, overNetwork())).err).toContain(warning);
    expect((await run(`${line} --endpoint image`, overNetwork())).err).toBe("");
  });

  test("leaves out budget.maxCost for speech, whose price is not known, but not --max-cost, and warns", async () => {
    const { run } = await createCli();
    const line = `batch manifest ${platform} p.txt --endpoint tts --shards 2`;
    await run("config set budget.maxCost 20");
    const fromProfile = await run(line, overNetwork());
    expect(fromProfile.out).not.toContain("--max-cost");
    expect(fromProfile.err).toContain("Warning: budget.maxCost is set, but the price of speech is not known");
    const typed = await run(`${line} --max-cost 20`, overNetwork());
    expect(typed.out).toContain("--max-cost");
    expect(typed.err).toContain("Warning: the price of speech is not known in advance, so the job exits");
    const pictures = await run(line.replace("tts", "image"), overNetwork());
    expect(pictures.out.replaceAll(/\n *- "?|"/g, " ").replaceAll(/ +/g, " ")).toContain(
      "--default-max-cost 20",
    );
    expect(pictures.err).toBe("");
  });

  test("stores the key of the profile that it was printed with, and never the key of another service", async () => {
    const { run } = await createCli();
    await run("profile add work --base-url https://work.example --no-validate");
    await run("config set apiKeyCommand 'echo k' --profile work");
    const line = `batch manifest ${platform} r.jsonl --shards 2 --profile work`;
    const commands = (text: string) => text.match(/auth token.*?(?= \|)/g) ?? [];
    const hasCommand = platform === "k8s" || platform === "github";
    expect(commands((await run(line)).out)).toEqual(hasCommand ? ["auth token --profile work"] : []);
    const other = await run(`${line} --base-url https://other.example`);
    expect(other.code).toBe(exit.done);
    expect(commands(other.out)).toEqual([]);
  });

  test("needs no base URL if an inference URL is set", async () => {
    const { run } = await createCli();
    const line = `batch manifest ${platform} r.jsonl --shards 2`;
    const env = { GPUCTL_INFERENCE_BASE_URL: "https://vllm.example", GPUCTL_API_KEY: key };
    expect((await run(line, { env })).err).toBe("");
    expect((await run(line, { env: { GPUCTL_API_KEY: key } })).err).toBe(
      platform === "slurm" ? "" : "No base URL is configured. Set GPUCTL_BASE_URL in the job.\n",
    );
  });

  test("uses the sandbox without a key if --sandbox is set", async () => {
    const { run } = await createCli();
    const { out } = await run(`batch manifest ${platform} requests.jsonl --shards 8 --sandbox`);
    expect(out).toContain("GPUCTL_SANDBOX");
    expect(out).not.toMatch(/GPUCTL_API_KEY|auth token|[Ss]ecret|The key/);
  });

  test("passes on file names with spaces", async () => {
    const { run } = await createCli();
    const { out } = await run(
      ["batch", "manifest", platform, "my requests.jsonl", "--shards", "2"],
      overNetwork(),
    );
    expect(out).toContain(
      platform === "k8s" ? "- my requests.jsonl\n" : "'my requests.jsonl' --out 'my requests.out.jsonl'",
    );
  });

  test("is printed as one document with -o json", async () => {
    const { run } = await createCli();
    const { out } = await run(`batch manifest ${platform} requests.jsonl --shards 2 -o json`, overNetwork());
    const text = await manifest(platform, "requests.jsonl --shards 2");
    expect(JSON.parse(out)).toEqual(platform === "slurm" ? { script: text } : parse(text));
  });
});

test.each([
  ["k8s requests.jsonl", /--shards is required/],
  ["k8s requests.jsonl --shards 0", /--shards must be/],
  ["k8s requests.jsonl --shards 100001", /there can be at most 100000 shards, not 100001/],
  ["slurm requests.jsonl --shards 100001", /there can be at most 100000 shards, not 100001/],
  ["k8s requests.jsonl --shards 2 --name Batch_1", /--name must be/],
  ["nomad requests.jsonl --shards 2", /PLATFORM must be one of k8s, slurm, github, gitlab/],
  ["k8s /home/ada/requests.jsonl --shards 2", /INPUT must be a relative path/],
  ["github 'requests$(x).jsonl' --shards 2", /INPUT must not contain/],
  ["gitlab requests.jsonl --out data/../../a.jsonl --shards 2", /--out must not contain \.\.:/],
  ["gitlab requests.jsonl --out '$HOME.jsonl' --shards 2", /--out must not contain/],
  ["github requests.jsonl --shards 257", /--shards must be at most 256 on GitHub, not 257/],
  ["gitlab requests.jsonl --shards 201", /--shards must be at most 200 on GitLab, not 201/],
])("batch manifest rejects %s", async (rest, message) => {
  const { run } = await createCli();
  const { code, out, err } = await run(`batch manifest ${rest}`, overNetwork());
  expect({ code, out }).toEqual({ code: exit.usage, out: "" });
  expect(err).toMatch(message);
});

test.each(platforms)(
  "batch manifest %s rejects line breaks, which could end a comment and begin a command",
  async (platform) => {
    const { run } = await createCli();
    const batch = ["batch", "manifest", platform, "--shards", "2"];
    for (const lineBreak of ["\n", "\r", "\u2028"]) {
      const text = `a${lineBreak}touch x`;
      const lines = [
        ["--out", text],
        ["--model", text],
        ["--image", text],
        ["--secret", text],
        ["--claim", text],
      ];
      for (const [flag = "", value = ""] of lines) {
        const { code, out, err } = await run([...batch, "a.jsonl", flag, value], overNetwork());
        expect({ code, out }).toEqual({ code: exit.usage, out: "" });
        expect(err).toContain(`${flag} must not contain line breaks`);
      }
      const { code, out, err } = await run([...batch, `${text}.jsonl`], overNetwork());
      expect({ code, out }).toEqual({ code: exit.usage, out: "" });
      expect(err).toContain("INPUT must not contain line breaks");
    }
  },
);

test.each([
  ["requests.jsonl", "requests.out.jsonl"],
  ["requests.json", "requests.json.out.jsonl"],
])("batch manifest with the input %s uses the output %s by default", async (input, out) => {
  expect(await manifest("slurm", `${input} --shards 2`)).toContain(`run ${input} --out ${out} `);
});

test("batch manifest says that the job needs a base URL if none is configured", async () => {
  const { run } = await createCli();
  const { code, err } = await run("batch manifest k8s requests.jsonl --shards 2");
  expect({ code, err }).toEqual({
    code: exit.done,
    err: "No base URL is configured. Set GPUCTL_BASE_URL in the job.\n",
  });
});

test.each([
  ["k8s /data/r.jsonl --shards 2", "INPUT must be a relative path: the job runs in a folder of its own"],
  ["github r.jsonl --shards 300", "--shards must be at most 256 on GitHub, not 300"],
])("batch manifest %s reports only what is wrong", async (line, message) => {
  const { run } = await createCli();
  const { code, err } = await run(`batch manifest ${line}`);
  expect({ code, err }).toEqual({ code: exit.usage, err: `Error: ${message}\n` });
});

describe("the Indexed Job in the manifest for k8s", () => {
  test("passes on parameters and the base URL unchanged, even if they contain dollar signs", async () => {
    const { run } = await createCli();
    const url = "https://api.example.com/$$(team)";
    const param = 'stop=["$$","a $(GPUCTL_API_KEY) b $5 $&"]';
    const line = ["batch", "manifest", "k8s", "requests.jsonl", "--shards", "2", "--param", param];
    const { spec }: Job = parse((await run(line, overNetwork({ GPUCTL_BASE_URL: url }))).out);
    const [container] = spec?.template.spec?.containers ?? [];
    /** What Kubernetes does with arguments and variables. */
    const expanded = (text = "") =>
      text.replaceAll(/\$\$|\$\(\w+\)/g, (found) => (found === "$$" ? "$" : "VALUE"));
    expect(container?.args?.map(expanded)).toContain(param);
    expect(container?.env?.map(({ value }) => expanded(value))).toContain(url);
  });

  test("takes the key from a Secret", async () => {
    const { spec } = await k8sJob("requests.jsonl --shards 8 --secret account");
    expect(spec?.template.spec?.containers[0]?.env).toEqual([
      { name: "GPUCTL_BASE_URL", value: serviceUrl },
      { name: "GPUCTL_API_KEY", valueFrom: { secretKeyRef: { name: "account", key: "api-key" } } },
    ]);
  });

  test("starts a pod for each shard, and mounts a PersistentVolumeClaim that remains after the job", async () => {
    const { spec } = await k8sJob("requests.jsonl --shards 8 --claim shared");
    expect(spec).toMatchObject({ completionMode: "Indexed", completions: 8 });
    expect(spec?.template.spec?.volumes).toEqual([
      { name: "data", persistentVolumeClaim: { claimName: "shared" } },
    ]);
  });

  test.each([1, 8])("mentions ReadWriteMany only for several pods: %i shards", async (shards) => {
    const text = (await manifest("k8s", `requests.jsonl --shards ${shards}`)).replaceAll("\n# ", " ");
    expect(text).toContain("It keeps the journals");
    expect(/All \d+ pods mount it, so it must be ReadWriteMany/.exec(text)?.[0]).toBe(
      shards === 1 ? undefined : "All 8 pods mount it, so it must be ReadWriteMany",
    );
  });

  test.for(["Complete", "Failed"])(
    "is documented with a command that waits until the job is %s",
    async (condition, context) => {
      skipWithout("grep", context);
      const home = await createHome();
      // A kubectl that prints no condition at first, then Suspended, then Suspended and the condition to wait for.
      await addProgram(
        home.folder,
        "kubectl",
        `echo "$*" >> calls
case $(wc -l < calls) in *1) ;; *2) printf Suspended ;; *) printf 'Suspended ${condition}' ;; esac`,
      );
      await addProgram(home.folder, "sleep", "exit 0");
      const [line = ""] = /until kubectl .*/.exec(await manifest("k8s")) ?? [];
      const ended = await runProgram("sh", ["-c", line], { cwd: home.folder, env: home.env });
      expect(ended).toMatchObject({ code: 0, out: `Suspended ${condition}\n` });
      expect(await readFile(join(home.folder, "calls"), "utf8")).toBe(
        "get job/gpuctl-batch -o jsonpath={.status.conditions[*].type}\n".repeat(3),
      );
    },
  );

  /** What the Job controller does after a pod exits with this code, by the rules of the manifest. */
  async function actionFor(code: number): Promise<string> {
    const { spec } = await k8sJob();
    expect(spec?.template.spec?.restartPolicy).toBe("Never");
    expect(spec?.backoffLimitPerIndex).toBeGreaterThan(0);
    const rule = spec?.podFailurePolicy?.rules.find(({ onExitCodes }) => {
      if (!onExitCodes) return false;
      const isIn = onExitCodes.values.includes(code);
      return onExitCodes.operator === "In" ? isIn : !isIn;
    });
    return rule?.action ?? "Count";
  }

  test.each([exit.network, exit.interrupted, 137, 143])(
    "retries the shard if its pod exits with %i",
    async (code) => {
      expect(await actionFor(code)).toBe("Count");
    },
  );

  test.each([
    exit.fault,
    exit.usage,
    exit.credential,
    exit.forbidden,
    exit.refused,
    exit.unknownOutcome,
    exit.budget,
    exit.someFailed,
  ])("does not retry the shard if its pod exits with %i", async (code) => {
    expect(await actionFor(code)).toBe("FailIndex");
  });
});

describe("the CI jobs in the manifests for GitHub and GitLab", () => {
  /** For each platform, a function that finds the script that runs a shard in the text of a manifest. */
  const scripts: Readonly<Record<string, (text: string) => string>> = {
    github: (text) =>
      parse(text).jobs.shard.steps.find(({ name }: { name?: string }) => name === "Run the shard").run,
    gitlab: (text) => parse(text).batch.script.join("\n"),
  };

  interface ShardRun {
    /** The shell script that stands in for gpuctl. */
    readonly gpuctl: string;
    /** Other programs: their names, and their shell scripts. */
    readonly programs?: Readonly<Record<string, string>>;
    /** Arguments of `batch manifest`. */
    readonly rest?: string;
    readonly env?: Readonly<Record<string, string>>;
  }

  /** Runs the script of a shard. Does not wait between its attempts. */
  async function runShard(
    platform: string,
    { gpuctl, programs = {}, rest, env = {} }: ShardRun,
    context: TestContext,
  ) {
    skipWithout("sh", context);
    if (platform === "gitlab" && programs.timeout === undefined) skipWithout("timeout", context);
    const home = await createHome();
    const all = { gpuctl: `echo run >> runs; ${gpuctl}`, sleep: "exit 0", ...programs };
    for (const [name, script] of Object.entries(all)) await addProgram(home.folder, name, script);
    const script = withShard(scripts[platform]?.(await manifest(platform, rest)));
    const { folder: cwd, env: own } = home;
    const ended = await runProgram("sh", ["-e", "-c", script], {
      cwd,
      env: { ...own, RUNNER_TEMP: cwd, ...env },
    });
    return { ...ended, runs: await readFile(join(cwd, "runs"), "utf8").catch(() => "") };
  }

  /** The script for shard 3. On GitHub, the shard is an expression, which GitHub replaces before the shell starts. */
  const withShard = (script = "") => script.replaceAll(/\$\{\{ matrix\.shard \}\}/g, "3");

  describe.each(Object.keys(scripts))("%s", (platform) => {
    test.for([
      [exit.done, 1],
      [exit.network, 6],
      [137, 6],
      [exit.usage, 1],
      [exit.credential, 1],
      [exit.budget, 1],
      [exit.someFailed, 1],
      [exit.interrupted, 1],
    ])("a shard whose gpuctl exits with %i is run %i times", async ([code = 0, times = 0], context) => {
      const ended = await runShard(platform, { gpuctl: `exit ${code}` }, context);
      expect(ended).toMatchObject({ code, runs: "run\n".repeat(times) });
    });

    test("makes the folder of the output, which is not in the repository", async (context) => {
      const ended = await runShard(
        platform,
        { rest: "a.jsonl --shards 8 --out new/folder/b.jsonl", gpuctl: "[ -d new/folder ]" },
        context,
      );
      expect(ended).toMatchObject({ code: 0, err: "" });
    });
  });

  interface Step {
    readonly id?: string;
    readonly name?: string;
    readonly uses?: string;
    readonly if?: string;
    readonly run?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly with?: Readonly<Record<string, unknown>>;
  }
  const stepsOf = async (job: "shard" | "merge", rest?: string): Promise<readonly Step[]> =>
    parse(await manifest("github", rest)).jobs[job].steps;

  test.for([
    [1, "", false, 0],
    [2, "gpuctl-batch-17-3-1", true, 0],
    [2, "gpuctl-batch-17-3-1", false, 1],
    [2, "", true, 1],
    // The machine of attempt 2 was lost. The journal of attempt 1 does not have the requests of attempt 2.
    [3, "gpuctl-batch-17-3-1", true, 1],
    [3, "gpuctl-batch-17-3-2", true, 0],
    [12, "gpuctl-batch-17-3-1", true, 1],
  ] as const)(
    "on GitHub, if attempt %i restored the cache %j (with a journal: %s), its check exits with %i",
    async ([attempt, restored, hasJournal, code], context) => {
      skipWithout("sh", context);
      const home = await createHome();
      const check = (await stepsOf("shard")).find(({ name }) => name === "Check the journal");
      expect(check?.env?.RESTORED).toMatch(/^\$\{\{ steps\.restore\.outputs\.cache-matched-key \}\}$/);
      const script = withShard(check?.run).replaceAll(/\$\{\{ github\.run_id \}\}/g, "17");
      const before = hasJournal ? "touch requests.out.3-of-8.jsonl.journal\n" : "";
      const env = { ...home.env, GITHUB_RUN_ATTEMPT: String(attempt), RESTORED: restored };
      const ended = await runProgram("sh", ["-e", "-c", `${before}${script}`], { cwd: home.folder, env });
      expect(ended).toMatchObject({
        code,
        err: code === 0 ? "" : expect.stringContaining(`The journal of attempt ${attempt - 1} is missing`),
      });
    },
  );

  test("an attempt on GitHub whose check fails runs nothing, and does not save the journal as its own", async () => {
    const steps = await stepsOf("shard");
    expect(steps.map(({ id }) => id).filter((id) => id !== undefined)).toEqual(["restore", "check", "stop"]);
    expect(steps.find(({ id }) => id === "restore")?.uses).toMatch(/^actions\/cache\/restore@/);
    const after = steps.slice(steps.findIndex(({ id }) => id === "check") + 1);
    expect(after.map((step) => step.if)).toEqual([
      undefined,
      "always() && steps.check.outcome == 'success'",
      "always() && steps.stop.outcome == 'success'",
      "always() && steps.stop.outcome == 'success'",
    ]);
  });

  describe("before GitHub saves the files of a step that was canceled or reached its time limit", () => {
    // The container of a job gets no signal, so the script of the shard goes on.
    const programs = [
      ["ends after SIGTERM", "trap 'echo ended >> runs; exit 143' TERM", "run\nended\n", 143],
      ["ignores SIGTERM", "trap '' TERM", "run\n", exit.interrupted],
    ] as const;

    test.for(sample(programs, 1))(
      "gpuctl, which %s, is ended and not started again",
      async ([, trap, runs, code], context) => {
        skipWithout("sh", context);
        const home = await createHome();
        const wait = "for _ in $(seq 3000); do command -p sleep 0.01; done";
        await addProgram(home.folder, "gpuctl", `${trap}\necho run >> runs\necho started\n${wait}`);
        await addProgram(home.folder, "sleep", "command -p sleep 0.01");
        const steps = await stepsOf("shard");
        const stop = steps.find(({ id }) => id === "stop")?.run ?? "";
        await writeFile(join(home.folder, "step.sh"), withShard(scripts.github?.(await manifest("github"))));
        const env = { RUNNER_TEMP: home.folder };
        const shard = home.shell("sh -e step.sh", { env });
        await shard.firstOutput;
        const stopped = await runProgram("sh", ["-e", "-c", stop], {
          cwd: home.folder,
          env: { ...home.env, ...env },
        });
        expect(stopped).toEqual({ code: 0, out: "", err: "" });
        expect(await shard.ended).toMatchObject({ code });
        expect(await readFile(join(home.folder, "runs"), "utf8")).toBe(runs);
      },
    );

    test("gpuctl is not started if the script waits before the next attempt", async (context) => {
      // GitHub stops the step while the script waits.
      const stop = 'touch "$RUNNER_TEMP/gpuctl.stop"';
      const ended = await runShard(
        "github",
        { gpuctl: `exit ${exit.network}`, programs: { sleep: stop } },
        context,
      );
      expect(ended).toMatchObject({ code: exit.interrupted, runs: "run\n" });
      expect((await stepsOf("shard")).find(({ id }) => id === "stop")?.run).toContain(stop);
    });

    test("nothing needs to be ended after a step that ended by itself", async (context) => {
      skipWithout("sh", context);
      const home = await createHome();
      const stop = (await stepsOf("shard")).find(({ id }) => id === "stop")?.run ?? "";
      await addProgram(home.folder, "sleep", "exit 0");
      const env = { ...home.env, RUNNER_TEMP: home.folder };
      expect(await runProgram("sh", ["-e", "-c", stop], { env })).toEqual({ code: 0, out: "", err: "" });
    });
  });

  test("the batch on GitLab runs only in a pipeline that is started for it", async () => {
    const text = await manifest("gitlab", "a.jsonl --shards 2 --name nightly");
    const { batch, merge } = parse(text);
    const started = { if: '$CI_PIPELINE_SOURCE =~ /^(web|api)$/ && $RUN_BATCH == "nightly"' };
    expect(batch.rules).toEqual([started]);
    expect(merge.rules).toEqual([{ ...started, when: "always" }]);
    expect(text).toContain("glab ci run --variables RUN_BATCH:nightly\n");
  });

  test.for([
    [{ CI_JOB_TIMEOUT: "10800" }, 9000],
    [{}, 3000],
  ] as const)(
    "with %j, GitLab stops gpuctl after %i s, so that its files are saved",
    async ([env, limit], context) => {
      const programs = { timeout: 'echo "$@" >> runs; exit 124', date: "echo 1000" };
      const ended = await runShard("gitlab", { gpuctl: "", programs, env }, context);
      expect(ended.code).toBe(124);
      expect(ended.runs).toMatch(new RegExp(`^-k 150 ${limit} gpuctl batch run .* --shards 8\n$`));
    },
  );

  test("GitLab does not start gpuctl again near the time limit", async (context) => {
    const ended = await runShard("gitlab", { gpuctl: "", env: { CI_JOB_TIMEOUT: "0" } }, context);
    expect(ended).toMatchObject({ code: exit.interrupted, runs: "" });
  });

  test.each([
    ["data/out/a.jsonl", "data/out"],
    ["a.jsonl", "."],
  ])("GitHub puts the outputs of the shards of %s into %s before it merges them", async (out, folder) => {
    const steps = await stepsOf("merge", `requests.jsonl --shards 2 --out ${out}`);
    const download = steps.find(({ uses }) => uses?.startsWith("actions/download-artifact@"));
    expect(download?.with).toMatchObject({ path: folder, "merge-multiple": true });
  });

  test.each(["github", "gitlab"])(
    "the merge on %s writes to the file of --out, even if its name does not end in .jsonl",
    async (platform) => {
      const { run } = await createCli();
      const flags = "--shards 2 --endpoint chat --model m --sandbox";
      const { out } = await run(`batch manifest ${platform} prompts.txt --out results.json ${flags}`);
      expect(out).toContain("gpuctl batch merge results.json --out results.json");
    },
  );

  test("GitHub keeps the merged output if some lines have failed", async () => {
    const [upload] = (await stepsOf("merge")).slice(-1);
    expect(upload).toMatchObject({ uses: "actions/upload-artifact@v4", if: "always()" });
  });

  test("the GitHub matrix has each shard once, and --shard gives the shard and the number of shards", async () => {
    const { jobs } = parse(await manifest("github"));
    expect(jobs.shard.strategy.matrix.shard).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(scripts.github?.(await manifest("github"))).toMatch(/--shard \$\{\{ matrix\.shard \}\}\/8/);
    expect(jobs.merge.needs).toBe("shard");
  });

  test("GitLab starts one job for each shard", async () => {
    const { batch } = parse(await manifest("gitlab"));
    expect(batch.parallel).toBe(8);
    expect(scripts.gitlab?.(await manifest("gitlab"))).toContain("--shards 8");
  });
});

describe("the script in the manifest for slurm", () => {
  test.each([
    [1, "0"],
    [2, "1"],
    [8, "1,7"],
  ])("with %i shards, names only tasks that exist in the example of a rerun", async (shards, tasks) => {
    const text = await manifest("slurm", `requests.jsonl --shards ${shards}`);
    expect(text).toContain(`#   sbatch --array=${tasks} job.sh\n`);
  });

  test("is a valid bash script", async (context) => {
    skipWithout("bash", context);
    const { code, err } = await runProgram("bash", ["-n"], { input: await manifest("slurm") });
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test.for([
    [exit.done, 0, false],
    [exit.network, 0, true],
    [exit.network, 5, false],
    [137, 0, true],
    [exit.interrupted, 0, false],
    [exit.usage, 0, false],
    [exit.credential, 0, false],
    [exit.budget, 0, false],
    [exit.someFailed, 0, false],
  ] as const)(
    "if gpuctl exits with %i after %i requeues, requeues the task: %s",
    async ([code, restarts, again], context) => {
      skipWithout("bash", context);
      expect(await runTask(`exit ${code}`, { SLURM_RESTART_COUNT: String(restarts) })).toMatchObject({
        code,
        requeued: again ? "requeue 17_3\n" : "",
      });
    },
  );

  test("ends gpuctl and requeues the task shortly before the time limit", async (context) => {
    skipWithout("bash", context);
    // This gpuctl sends SIGUSR1 to the script, as Slurm does before the time limit, and exits at SIGTERM.
    const gpuctl = `trap 'exit ${exit.interrupted}' TERM
kill -USR1 $PPID
for _ in $(seq 500); do sleep 0.01; done`;
    expect(await runTask(gpuctl)).toMatchObject({ code: exit.interrupted, requeued: "requeue 17_3\n" });
  });

  test("ends gpuctl and does not requeue the task if Slurm cancels it", async (context) => {
    skipWithout("bash", context);
    const gpuctl = `trap 'exit ${exit.interrupted}' TERM
kill -TERM $PPID
for _ in $(seq 500); do sleep 0.01; done`;
    expect(await runTask(gpuctl)).toMatchObject({ code: exit.interrupted, requeued: "" });
  });

  test.for([
    [{}, "work"],
    [{ GPUCTL_API_KEY: "k-123" }, "none"],
  ] as const)("with %j, uses the profile %s", async ([env, profile], context) => {
    skipWithout("bash", context);
    const { run } = await createCli();
    await run(`profile add work --base-url ${serviceUrl} --no-validate`);
    await run("config set apiKeyCommand 'echo k' --profile work");
    const { out, err } = await run(
      "batch manifest slurm requests.jsonl --shards 8 --max-cost 1 --profile work",
    );
    expect(out, err).toContain("GPUCTL_PROFILE=work");
    const task = await runTask("printenv GPUCTL_PROFILE > profile || echo none > profile", env, out);
    expect(task.code).toBe(0);
    expect(task.profile).toBe(`${profile}\n`);
  });

  /** Runs the manifest's script as task 3 of job 17. The shell script `gpuctl` stands in for the real gpuctl. */
  async function runTask(gpuctl: string, env: Readonly<Record<string, string>> = {}, script?: string) {
    const home = await createHome();
    await addProgram(home.folder, "gpuctl", gpuctl);
    await addProgram(home.folder, "scontrol", 'echo "$@"');
    const { code, out } = await runProgram("bash", ["-c", script ?? (await manifest("slurm"))], {
      cwd: home.folder,
      env: { ...home.env, SLURM_ARRAY_JOB_ID: "17", SLURM_ARRAY_TASK_ID: "3", ...env },
    });
    return {
      code,
      requeued: out,
      profile: await readFile(join(home.folder, "profile"), "utf8").catch(() => ""),
    };
  }
});
