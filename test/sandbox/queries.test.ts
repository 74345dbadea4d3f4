import { expect, onTestFinished, test } from "vitest";
import type { OperationId } from "../../src/contract/index.ts";
import { createApp } from "../../src/sandbox/app.ts";
import type { AssumedId } from "../../src/sandbox/assumed/index.ts";
import { secondMs } from "../../src/sandbox/clock.ts";
import { plainRequest } from "../../src/sandbox/http/web.ts";
import { keys } from "../../src/sandbox/keys.ts";
import { operationSetOf } from "../../src/sandbox/operation-set.ts";
import type { StoredRental } from "../../src/sandbox/rentals/lifecycle.ts";
import type { Store } from "../../src/sandbox/store/queries.ts";
import { builtInUserId } from "../../src/sandbox/store/schema.ts";
import { openStore } from "../../src/sandbox/store/store.ts";
import { addRental } from "../../src/sandbox/tables/rentals.ts";
import { addVolume, attach } from "../../src/sandbox/tables/volumes.ts";
import { start } from "./harness.ts";
import { requestFor, requestForAssumed } from "./request.ts";

const rental: StoredRental = {
  rentalType: "bare-metal",
  gpuType: "h100",
  gpuCount: 8,
  discountPercentage: 0,
  region: "us-central-1",
  networkType: "ethernet",
  termType: "on-demand",
  convertToOnDemandOnExpiry: true,
  createdAt: start,
  terms: [],
};

/** The number of queries that each request asks, and of the rows that they return, with this many rentals and volumes. */
async function countsWith(count: number) {
  const store = await openStore(":memory:", start);
  onTestFinished(() => store.close());
  for (let index = 0; index < count; index += 1) {
    const id = addRental(store, builtInUserId, rental);
    const volume = { label: "data", sizeInGb: 256, region: "us-central-1", createdAt: "" } as const;
    attach(store, addVolume(store, builtInUserId, volume), [id]);
  }
  const counts = { queries: 0, rows: 0 };
  const counting: Store = {
    ...store,
    all: (...query) => {
      const rows = store.all(...query);
      counts.queries += 1;
      counts.rows += rows.length;
      return rows;
    },
  };
  const operationSet = operationSetOf(undefined);
  const state = {
    store: counting,
    environment: () => undefined,
    addressesOf: () => undefined,
    operationSet,
  };
  const app = createApp(state, () => start + 60 * secondMs);
  const countOf = async (request: Request) => {
    Object.assign(counts, { queries: 0, rows: 0 });
    expect((await app(plainRequest(request))).status).toBe(200);
    return { ...counts };
  };
  return {
    documented: (id: OperationId) => countOf(requestFor(id, {}, keys.full)),
    assumed: (id: AssumedId) => countOf(requestForAssumed(id, {}, keys.full)),
  };
}

test("the number of queries of a request does not grow with the number of rentals and volumes", async () => {
  const [few, many] = [await countsWith(2), await countsWith(20)];
  for (const id of ["listBareMetalRentals", "listRentalHistory", "listStorageVolumes"] as const) {
    expect((await many.documented(id)).queries, id).toBe((await few.documented(id)).queries);
  }
  for (const id of ["listUsage", "listInvoices"] as const) {
    expect((await many.assumed(id)).queries, id).toBe((await few.assumed(id)).queries);
  }
});

test("sums are computed without reading the rentals", async () => {
  const [few, many] = [await countsWith(2), await countsWith(20)];
  const summary = "getActiveRentalSummary";
  expect(await many.documented(summary)).toEqual(await few.documented(summary));
  expect(await many.assumed("getBalance")).toEqual(await few.assumed("getBalance"));
});
