import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createHome, firstChunk, type Home, runProgram } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { slurmPrograms, startSlurm } from "../support/slurm.ts";
import { thorough } from "../support/thorough.ts";

const lines = 160;
const shards = 8;
/** The number of requests that a shard sends at the same time. */
const concurrency = 2;

/** A home with the requests of a batch, and a served sandbox that takes 200 ms for each chat request. */
async function batchHome() {
  const home = await createHome();
  const { url, apiKey } = JSON.parse(await firstChunk(home.start("sandbox serve --port 0 -o json").stdout));
  const env = { ...home.env, GPUCTL_BASE_URL: url, GPUCTL_API_KEY: apiKey };
  const run = async (line: string) => {
    const { code, out, err } = await home.run(line, { env });
    return { code, out, err };
  };
  await run("sandbox fault add --operation createChatCompletion --every 1 --delay 200ms");
  await run("config set chat.prices sandbox-echo=1/1");
  const request = (index: number) => ({
    custom_id: `request-${index}`,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: "sandbox-echo", max_tokens: 20, messages: [{ role: "user", content: `Hello ${index}` }] },
  });
  const input = Array.from({ length: lines }, (_, index) => `${JSON.stringify(request(index))}\n`).join("");
  await writeFile(join(home.folder, "requests.jsonl"), input);
  return { home, env, run };
}

type BatchHome = Awaited<ReturnType<typeof batchHome>>;

const json = async ({ run }: BatchHome, line: string) => JSON.parse((await run(`${line} -o json`)).out);

/** How many chat requests the service has accepted. */
async function accepted(batch: BatchHome): Promise<number> {
  const requests: readonly { operation: string; status: number }[] = await json(
    batch,
    "sandbox requests --limit 1000",
  );
  return requests.filter(({ operation, status }) => operation === "createChatCompletion" && status === 200)
    .length;
}

const shell = ({ home, env }: BatchHome, command: string, more: Home["env"] = {}) =>
  runProgram("bash", ["-c", command], { cwd: home.folder, env: { ...env, ...more } });

/** Expects a result for each line, and the sum of the shards' costs. `unknown`: the number of unknown outcomes. */
async function expectComplete(batch: BatchHome, unknown: number): Promise<void> {
  const merged = await json(batch, "batch merge answers.jsonl --requests requests.jsonl");
  expect(merged).toMatchObject({
    succeeded: lines - unknown,
    failed: 0,
    unknown,
    missing: 0,
    missingShards: [],
  });
  const status: readonly { dollars: number; uncertainDollars: number }[] = await json(
    batch,
    "batch status .",
  );
  const sum = (key: "dollars" | "uncertainDollars") => status.reduce((total, row) => total + row[key], 0);
  expect(merged.dollars).toBeGreaterThan(0);
  expect(merged.dollars).toBeCloseTo(sum("dollars"), 12);
  expect(merged.uncertainDollars).toBeCloseTo(sum("uncertainDollars"), 12);
}

describe.runIf(thorough)("on a machine with", () => {
  test("Slurm, an array of 8 tasks completes the batch although one task is killed and requeued", async (context) => {
    for (const program of slurmPrograms) skipWithout(program, context);
    const batch = await batchHome();
    const slurm = await startSlurm({ cpus: shards });
    const options = `--shards ${shards} --concurrency ${concurrency} --max-cost 100 --out answers.jsonl`;
    const { out } = await batch.run(`batch manifest slurm requests.jsonl ${options}`);
    await writeFile(join(batch.home.folder, "job.sh"), out.replace(/--mem=\S+/, "--mem=1"));
    const submitted = await shell(batch, "sbatch --parsable job.sh", slurm);
    expect(submitted.code, submitted.err).toBe(0);

    const { process: pid } = await vi.waitUntil(
      async () => {
        const [row] = (await json(batch, "batch status answers.3-of-8.jsonl").catch(() => [])) ?? [];
        return row?.state === "running" && row.succeeded > 0 ? row : undefined;
      },
      { timeout: 60_000, interval: 100 },
    );
    process.kill(Number(pid), "SIGKILL");
    await vi.waitUntil(async () => (await shell(batch, "squeue --noheader", slurm)).out === "", {
      timeout: 90_000,
      interval: 500,
    });

    const log = await shell(batch, "cat gpuctl-batch-*_3.log");
    const restarts = await shell(batch, `scontrol show job ${submitted.out.trim()}_3`, slurm);
    expect(restarts.out, log.out).toContain("Restarts=1");
    // When the task was killed, some lines were recorded in the journal but not sent yet, were in flight, or had a
    // response that was not saved yet. These lines are not sent again automatically.
    const [{ unknown }] = await json(batch, "batch status answers.3-of-8.jsonl");
    expect(unknown).toBeGreaterThan(0);
    expect(unknown).toBeLessThanOrEqual(2 * concurrency);
    await expectComplete(batch, unknown);
    const count = await accepted(batch);
    expect(count).toBeGreaterThanOrEqual(lines - unknown);
    expect(count).toBeLessThanOrEqual(lines);
  });

  test("GNU parallel, a batch is complete after all its shards have run", async (context) => {
    skipWithout("parallel", context);
    const batch = await batchHome();
    const { code, err } = await shell(
      batch,
      `parallel --jobs 4 gpuctl batch run requests.jsonl --out answers.jsonl --shard {}/${shards} ::: {0..${shards - 1}}`,
    );
    expect(code, err).toBe(0);
    await expectComplete(batch, 0);
    expect(await accepted(batch)).toBe(lines);
  });
});
