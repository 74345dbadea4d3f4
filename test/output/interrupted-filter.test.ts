import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { compileFilter } from "../../src/output/jq.ts";

test("an endless filter that already runs in a worker is interrupted", async () => {
  const stop = new AbortController();
  const reason = new Error("stopped");
  const filter = await compileFilter("def f: f; f", stop.signal);
  const abortOnceOnline = (worker: Worker) => {
    onTestFinished(() => worker.terminate().then(() => {}));
    worker.once("online", () => stop.abort(reason));
  };
  process.once("worker", abortOnceOnline);
  onTestFinished(() => void process.off("worker", abortOnceOnline));
  await expect(filter.run("{}")).rejects.toBe(reason);
}, 30_000);
