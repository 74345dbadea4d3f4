import { describe, expect, test } from "vitest";
import { type BatchOptions, planBatch, withBatch } from "../../src/batch/engine/batch.ts";
import { idsWith, openBatch, readKnown, recoverBatch } from "../../src/batch/engine/open.ts";
import type { Sent } from "../../src/batch/engine/run.ts";
import type { AppendFile, BatchFiles } from "../../src/batch/files.ts";
import { type BatchRequest, jsonLines } from "../../src/batch/input/lines.ts";
import { fc, runs } from "../support/property.ts";

/** Never settles. A killed process waits for this promise, so it does nothing more. */
const never = new Promise<never>(() => {});

/** A disk, and the process that writes to it. The process is killed at step `killedAfter`. */
class Disk {
  readonly #files = new Map<string, { bytes: Buffer; synced: number }>();
  #stepsLeft: number;
  #die: () => void = () => {};
  isDead = false;
  readonly died: Promise<"killed">;

  constructor(files: ReadonlyMap<string, Buffer>, killedAfter: number) {
    for (const [path, bytes] of files) this.#files.set(path, { bytes, synced: bytes.length });
    this.#stepsLeft = killedAfter;
    this.died = new Promise((resolve) => {
      this.#die = () => resolve("killed");
    });
  }

  /** Precedes each step of the process. Never resolves once the process is killed, so the step does not happen. */
  async step(): Promise<void> {
    await new Promise(setImmediate);
    this.#stepsLeft -= 1;
    if (this.#stepsLeft <= 0 && !this.isDead) {
      this.isDead = true;
      this.#die();
    }
    if (this.isDead) await never;
  }

  /** The files after a power loss in which this share of the unflushed bytes survived. */
  after(share: number): ReadonlyMap<string, Buffer> {
    return new Map(
      [...this.#files].map(([path, { bytes, synced }]) => [
        path,
        bytes.subarray(0, synced + Math.floor((bytes.length - synced) * share)),
      ]),
    );
  }

  readonly files: BatchFiles = {
    target: async (path) => path,
    size: async (path) => this.#files.get(path)?.bytes.length,
    read: (path, start = 0) => {
      const bytes = this.#files.get(path)?.bytes.subarray(start) ?? Buffer.alloc(0);
      return (async function* () {
        for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
      })();
    },
    open: async (path): Promise<AppendFile> => {
      await this.step();
      if (!this.#files.has(path)) this.#files.set(path, { bytes: Buffer.alloc(0), synced: 0 });
      const file = () => this.#files.get(path) ?? { bytes: Buffer.alloc(0), synced: 0 };
      return {
        append: async (text) => {
          await this.step();
          file().bytes = Buffer.concat([file().bytes, Buffer.from(text)]);
        },
        sync: async () => {
          await this.step();
          file().synced = file().bytes.length;
        },
        size: async () => file().bytes.length,
        isInPlace: async () => true,
        truncate: async (size) => {
          await this.step();
          file().bytes = file().bytes.subarray(0, size);
          file().synced = Math.min(file().synced, size);
        },
        close: async () => {},
      };
    },
    rename: async (from, to) => {
      await this.step();
      const file = this.#files.get(from);
      if (file) this.#files.set(to, file);
      this.#files.delete(from);
    },
    remove: async (path) => {
      await this.step();
      this.#files.delete(path);
    },
  };
}

type Fault = "ok" | "429" | "unsent" | "400" | "500" | "cut";

/** What the user does before a run, and what happens during the run. */
interface Round {
  /** Indexes of the lines that the user edits. */
  readonly edits: readonly number[];
  readonly retries: boolean;
  readonly faults: readonly Fault[];
  /** The number of the step at which the process is killed. */
  readonly killedAfter: number;
  /** The share of the unflushed bytes that survive. */
  readonly share: number;
  readonly concurrency: number;
}

const price = 10n;
const out = "out.jsonl";

interface Input {
  readonly lines: number;
  /** The cost limit, as the number of lines that it pays for. */
  readonly ceiling: number;
  readonly rounds: readonly Round[];
}

const lineOf = (index: number, version: number): string =>
  `${JSON.stringify({ custom_id: `line-${index}`, method: "POST", url: "/v1/chat/completions", body: { version } })}\n`;

/** Runs a batch several times, and checks after each run what must always hold. */
async function check({ lines, ceiling, rounds }: Input): Promise<void> {
  const versions = Array.from({ length: lines }, () => 0);
  /** How often the service carried out a request, by ID and version of its line. */
  const accepted = new Map<string, number>();
  /** How often the user allowed a request to be sent, by ID and version of its line. */
  const allowed = new Map<string, number>();
  const keyOf = (index: number) => `line-${index} ${versions[index]}`;
  let spent = 0n;
  let now = 0;
  let disk: ReadonlyMap<string, Buffer> = new Map();

  const calm: Round = {
    edits: [],
    retries: false,
    faults: ["ok"],
    killedAfter: Number.POSITIVE_INFINITY,
    share: 1,
    concurrency: 4,
  };
  for (const round of [...rounds, calm]) {
    const machine = new Disk(disk, round.killedAfter);
    const { files } = machine;
    for (const index of round.edits) if (index < lines) versions[index] = (versions[index] ?? 0) + 1;
    for (const index of versions.keys()) {
      if (!allowed.has(keyOf(index))) allowed.set(keyOf(index), 1);
    }
    const text = versions.map((version, index) => lineOf(index, version)).join("");
    let sends = 0;
    const send = async (request: BatchRequest): Promise<Sent> => {
      await machine.step();
      const fault = round.faults[sends % round.faults.length] ?? "ok";
      sends += 1;
      const error = new Error(fault);
      if (fault === "429" || fault === "unsent") return { outcome: "refused", error };
      if (fault === "400") return { outcome: "failed", code: "BAD", answer: response(400) };
      const key = `${request.id} ${String(request.body.version)}`;
      accepted.set(key, (accepted.get(key) ?? 0) + 1);
      spent += price;
      await machine.step();
      if (fault === "ok") return { outcome: "done", value: {}, answer: response(200) };
      const answer = fault === "500" ? response(500) : { error: { code: "CUT", message: "cut" } };
      return { outcome: "unknown", code: "CUT", slowsDown: fault === "cut", answer };
    };
    const sleep = async (milliseconds: number) => {
      now += milliseconds;
      await new Promise(setImmediate);
    };
    const options: BatchOptions = {
      source: jsonLines("in.jsonl", async function* () {
        yield Buffer.from(text);
      }),
      inputName: "in.jsonl",
      check: () => [],
      assertSameShards: async () => {},
      out,
      shard: undefined,
      service: undefined,
      prompts: undefined,
      files,
      send,
      pricing: { ceiling: () => price, cost: () => price, isExact: () => false },
      maxCost: price * BigInt(ceiling),
      needsPrices: true,
      concurrency: round.concurrency,
      patience: 60_000,
      now: () => now,
      sleep,
      stopped: new AbortController().signal,
    };
    const run = async () => {
      if (round.retries) {
        await recoverBatch({ files, out, now: () => now, sleep });
        const known = await readKnown(files, out);
        const again = await idsWith(files, out, known, ["failed", "unknown"]);
        for (const id of again) {
          const key = keyOf(Number(id.slice("line-".length)));
          allowed.set(key, (allowed.get(key) ?? 0) + 1);
        }
        const { shard = null } = known;
        const batch = await openBatch({ files, out, known, shard, again, now: () => now, sleep });
        await batch.close();
      }
      const plan = await planBatch(options);
      return withBatch(options, plan, async (batch) => ({ stop: await batch.run(), status: batch.status() }));
    };
    const ended = await Promise.race([run(), machine.died]);
    disk = machine.after(round.share);

    for (const [key, count] of accepted) expect(count, key).toBeLessThanOrEqual(allowed.get(key) ?? 0);
    expect(spent).toBeLessThanOrEqual(price * BigInt(ceiling));
    if (ended === "killed") continue;

    const ids = (disk.get(out)?.toString() ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
    expect(new Set(ids).size).toBe(ids.length);
    const { done, failed, unknown, left } = ended.status;
    expect(ids).toHaveLength(done + failed + unknown);
    expect(done + failed + unknown + left).toBe(lines);
    if (ended.stop === undefined) expect(left).toBe(0);
    // A line whose request the service carried out, and that was never retried, is recorded as done or as unknown.
    const known = await readKnown(new Disk(disk, Number.POSITIVE_INFINITY).files, out);
    for (const index of versions.keys()) {
      if (!accepted.has(keyOf(index))) continue;
      const entry = known.ledger.find(`line-${index}`);
      const state = entry === undefined ? undefined : known.ledger.state(entry);
      if (allowed.get(keyOf(index)) === 1) expect(["done", "unknown"]).toContain(state);
    }
    expect(known.costs.spent + known.costs.uncertain).toBeGreaterThanOrEqual(spent);
  }
}

const response = (status: number) => ({ response: { status, requestId: null, body: "{}" } });

const round = fc.record<Round>({
  edits: fc.array(fc.nat({ max: 11 }), { maxLength: 3 }),
  retries: fc.boolean(),
  faults: fc.array(fc.constantFrom<Fault>("ok", "ok", "ok", "429", "unsent", "400", "500", "cut"), {
    minLength: 1,
    maxLength: 8,
  }),
  killedAfter: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 120 })),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  concurrency: fc.integer({ min: 1, max: 12 }),
});

describe("a batch", () => {
  test("pays for a line only as often as the user allows, stays within the cost limit, and outputs each line at most once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          lines: fc.integer({ min: 1, max: 12 }),
          ceiling: fc.integer({ min: 1, max: 40 }),
          rounds: fc.array(round, { minLength: 1, maxLength: 5 }),
        }),
        check,
      ),
      runs(50),
    );
  });
});
