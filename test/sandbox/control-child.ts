/**
 * A child process that controls the sandbox in FILE: `node --import tsx control-child.ts FILE ACTION`. `move` runs
 * once. `seed` and `restore` are repeated until the process is killed. The process prints "done" after each run.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { createSandbox } from "../../src/sandbox/index.ts";

const [file = "", action = ""] = process.argv.slice(2);
const sandbox = await createSandbox({ file });
const done = async () => {
  process.stdout.write("done\n");
  await nextTurn();
};

/** A seed with so many rentals of one label that loading it takes a while. */
const seed = (label: string) =>
  JSON.stringify({
    clock: { now: "2026-11-20T12:00:00Z", frozen: true },
    rentals: Array.from({ length: 300 }, () => ({ rentalType: "virtual-machine", gpuCount: 1, label })),
  });

async function snapshotOf(label: string): Promise<string> {
  await sandbox.seed(seed(label));
  return JSON.stringify(sandbox.snapshot());
}

const actions: Readonly<Record<string, () => Promise<void>>> = {
  move: async () => {
    sandbox.clock.freeze();
    sandbox.clock.set(Date.UTC(2040, 0));
    sandbox.faults.add({ operation: "listStorageVolumes", status: 503, times: 2 });
    await done();
  },
  seed: async () => {
    for (;;) {
      for (const label of ["one", "other"]) {
        await sandbox.seed(seed(label));
        await done();
      }
    }
  },
  restore: async () => {
    const [one, other] = [await snapshotOf("one"), await snapshotOf("other")];
    for (;;) {
      for (const snapshot of [one, other]) {
        sandbox.restore(snapshot);
        await done();
      }
    }
  },
};
await actions[action]?.();
sandbox.close();
