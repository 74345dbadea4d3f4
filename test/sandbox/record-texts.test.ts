import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dayMs, secondMs } from "../../src/sandbox/clock.ts";
import type { SshAddress, StoredRental } from "../../src/sandbox/rentals/lifecycle.ts";
import { rentalRecords } from "../../src/sandbox/rentals/record.ts";
import { RecordTexts } from "../../src/sandbox/rentals/record-texts.ts";
import { builtInUserId } from "../../src/sandbox/store/schema.ts";
import { openStore } from "../../src/sandbox/store/store.ts";
import { activeRentals, activeRows, addRental, saveRental } from "../../src/sandbox/tables/rentals.ts";
import { addVolume, attach } from "../../src/sandbox/tables/volumes.ts";
import { fc, runs } from "../support/property.ts";
import { anyRental } from "./any-rental.ts";
import { openSandbox, start } from "./harness.ts";

/** Moments at which the state of a rental may change. */
const momentsOf = ({ createdAt, boot, failsAt, terminatedAt, terms }: StoredRental): readonly number[] =>
  [
    createdAt + (boot?.afterMs ?? 2 * secondMs),
    failsAt,
    terminatedAt,
    ...terms.map(({ until }) => until),
  ].filter((moment) => moment !== undefined);

const index = fc.nat({ max: 5 });

/** What happens between two listings. */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("wait"), ms: fc.integer({ min: 0, max: 3 * dayMs }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("near"), index, ms: fc.integer({ min: -1, max: 1 }) }),
  },
  fc.record({
    kind: fc.constant("moment"),
    at: fc.integer({ min: start - 400 * dayMs, max: start + 900 * dayMs }),
  }),
  fc.record({ kind: fc.constant("change"), index, rental: anyRental }),
  fc.record({ kind: fc.constant("attach"), index }),
  fc.record({ kind: fc.constant("address"), index }),
);

test("a listing matches the records, whatever happened since the previous listing", async () => {
  const store = await openStore(":memory:", start);
  onTestFinished(() => store.close());
  const rentals = fc.array(anyRental, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(rentals, fc.array(step, { maxLength: 12 }), fc.constantFrom(2, 100), (given, steps, max) => {
      store.reset(start);
      const current = given.map((rental) => ({ id: addRental(store, builtInUserId, rental), rental }));
      const addresses = new Map<number, readonly SshAddress[]>();
      const context = { store, addressesOf: (id: number) => addresses.get(id) };
      const texts = new RecordTexts(max);
      let now = start;
      const compare = () => {
        const rows = activeRows(store, builtInUserId, now);
        const records = rentalRecords(context, activeRentals(store, builtInUserId, now), now);
        expect(texts.list(context, rows, now)).toBe(JSON.stringify(records));
      };
      compare();
      for (const one of steps) {
        const target = "index" in one ? current[one.index % current.length] : undefined;
        if ("at" in one) now = one.at;
        else if (target === undefined) now += "ms" in one ? one.ms : 0;
        else if ("rental" in one) {
          target.rental = one.rental;
          saveRental(store, target);
        } else if ("ms" in one) {
          const moments = momentsOf(target.rental);
          now = (moments.find((moment) => moment > now) ?? moments[0] ?? now) + one.ms;
        } else if (one.kind === "attach") {
          const volume = { label: "data", sizeInGb: 256, region: "us-central-1", createdAt: "" } as const;
          attach(store, addVolume(store, builtInUserId, volume), [target.id]);
        } else addresses.set(target.id, [{ host: "127.0.0.1", port: addresses.size + 1, user: "me" }]);
        compare();
      }
    }),
    runs(300),
  );
});

test("a list is up to date after time has passed, and after another sandbox has changed the same file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gpuctl-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "sandbox.db");
  const [sandbox, other] = [await openSandbox({ file }), await openSandbox({ file })];
  const list = () => sandbox.ask("listVirtualMachineRentals");
  const { id } = await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  const ended = await sandbox.ask("createVirtualMachineRental", { gpuCount: 2 });
  expect(await list()).toMatchObject([{ id, status: "Pending", billedCents: 0 }, { status: "Pending" }]);
  sandbox.clock.advance(3602 * secondMs);
  expect(await list()).toMatchObject([{ status: "Running", billedCents: 200 }, { billedCents: 400 }]);
  sandbox.clock.advance(3600 * secondMs);
  expect(await list()).toMatchObject([{ status: "Running", billedCents: 400 }, { billedCents: 800 }]);
  await other.assumed("terminateVirtualMachineRental", { rentalId: ended.id });
  other.situations.add({ kind: "failure" });
  expect(await list()).toMatchObject([{ id, status: "Failed", billedCents: 400 }]);
  expect(await sandbox.ask("listRentalHistory")).toMatchObject([{ id: ended.id, billedCents: 800 }]);
  sandbox.reset();
  expect(await list()).toEqual([]);
  const again = await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  expect(await list()).toMatchObject([{ id: again.id, status: "Pending", billedCents: 0 }]);
});
