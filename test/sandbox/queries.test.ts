import { expect, onTestFinished, test } from "vitest";
import { type OperationId, operations } from "../../src/contract/index.ts";
import { createApp } from "../../src/sandbox/app.ts";
import { type AssumedId, assumedOperations } from "../../src/sandbox/assumed/index.ts";
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

/**
 * Functions that send a request to a sandbox with `count` rentals and as many volumes. They return how many SQL queries
 * the request ran, and how many rows the queries returned.
 */
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
    run: (...statement) => {
      counts.queries += 1;
      return store.run(...statement);
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
    const { status, body } = await app(plainRequest(request));
    expect({ status, ...(status !== 200 && { body }) }).toEqual({ status: 200 });
    return { ...counts };
  };
  return {
    documented: (id: OperationId, input: object = {}) => countOf(requestFor(id, input, keys.full)),
    assumed: (id: AssumedId, input: object = {}) => countOf(requestForAssumed(id, input, keys.full)),
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

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada";

/**
 * A request for each operation, in an order in which all succeed, and the number of SQL statements that it runs.
 * Statements that all requests run, such as those of the log, are counted as well.
 */
const requests: Readonly<Record<OperationId | AssumedId, readonly [statements: number, input?: object]>> = {
  getOpenApiDocument: [5],
  createBareMetalRental: [15, { gpuCount: 8, networkType: "ethernet" }],
  createVirtualMachineRental: [15, { gpuCount: 1 }],
  listBareMetalRentals: [8],
  listVirtualMachineRentals: [8],
  listRentalHistory: [7],
  getRental: [8, { rentalId: "1001" }],
  getActiveRentalSummary: [7],
  requestReservation: [6, { gpuCount: 8 }],
  convertToReserved: [8, { rentalId: 1001, termPeriodDays: 30, expectedTotalPriceCents: 1036800 }],
  extendReserved: [
    8,
    {
      rentalId: 1001,
      termPeriodDays: 30,
      expectedTotalPriceCents: 1036800,
      expectedReservedUntil: "2027-01-19T12:01:00.000Z",
    },
  ],
  createStorageVolume: [9, { region: "us-central-1", label: "data", sizeInGb: 512 }],
  listStorageVolumes: [8],
  attachStorageVolume: [11, { storageVolumeId: 503, rentalIds: [1003] }],
  createChatCompletion: [10, { model: "sandbox-echo", messages: [{ role: "user", content: "Hello" }] }],
  generateImage: [10, { model_name: "SDXL1.0-base", prompt: "a lighthouse" }],
  generateAudio: [7, { text: "Hello" }],
  listRentalOptions: [7],
  listChatModels: [7],
  listUsage: [8],
  listInvoices: [8],
  getBalance: [10],
  createApiKey: [10, { name: "ci" }],
  listApiKeys: [7],
  revokeApiKey: [8, { id: 3 }],
  createSshKey: [7, { name: "laptop", publicKey }],
  listSshKeys: [7],
  deleteSshKey: [8, { id: 1 }],
  terminateVirtualMachineRental: [8, { rentalId: 1004 }],
  terminateBareMetalRental: [8, { rentalId: 1003 }],
  updateCurrentUser: [8, { name: "Ada" }],
  updateCurrentUserLegacy: [8, { name: "Ada" }],
  deleteCurrentUser: [11],
  // This operation deletes the user, as the previous one does, so it needs a sandbox of its own.
  deleteCurrentUserLegacy: [11],
};

test("each request runs a known number of statements", async () => {
  const isDocumented = (id: string): id is OperationId => id in operations;
  const isAssumed = (id: string): id is AssumedId => id in assumedOperations;
  const sandbox = await countsWith(2);
  const counted: Record<string, number> = {};
  for (const [id, [, input]] of Object.entries(requests)) {
    const { documented, assumed } = id === "deleteCurrentUserLegacy" ? await countsWith(2) : sandbox;
    if (isDocumented(id)) counted[id] = (await documented(id, input)).queries;
    if (isAssumed(id)) counted[id] = (await assumed(id, input)).queries;
  }
  expect(counted).toEqual(Object.fromEntries(Object.entries(requests).map(([id, [count]]) => [id, count])));
});
