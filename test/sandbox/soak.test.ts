import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { faultHeader } from "../../src/core/sandbox.ts";
import { hourMs, secondMs } from "../../src/sandbox/clock.ts";
import { centsPerGpuHour, termDiscounts } from "../../src/sandbox/rentals/prices.ts";
import { fc } from "../support/property.ts";
import { thorough } from "../support/thorough.ts";
import { openSandbox } from "./harness.ts";
import { requestForAssumed } from "./request.ts";

const requests = thorough ? 50_000 : 400;
const clients = 32;
/** While more rentals than this are active, each request terminates the oldest one. */
const maxActive = 40;
const termDays = 30;
/** How much the heap may grow in the second half of the test, in bytes. */
const heapGrowth = 8 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

interface Record {
  readonly gpuType: "h100" | "b200";
  readonly gpuCount: number;
  readonly termPeriodDays: number | null;
  readonly startedAt: string | null;
  readonly terminatedAt: string | null;
  readonly billedCents: number;
}

/** What a rental costs according to its record, in cents. A reserved term does not end before the test does. */
function billOf({ gpuType, gpuCount, termPeriodDays, startedAt, terminatedAt }: Record, now: number): number {
  if (startedAt === null) return 0;
  const end = terminatedAt === null ? now : Date.parse(terminatedAt);
  const seconds = BigInt(Math.floor((end - Date.parse(startedAt)) / secondMs));
  const percent = termPeriodDays === null ? 100 : 100 - (termDiscounts.at(-1)?.percent ?? 0);
  const hourly = (BigInt(centsPerGpuHour[gpuType] * gpuCount) * BigInt(percent)) / 100n;
  return Number((seconds * hourly) / 3600n);
}

/** Sends one request, chosen by a number from 0 to 99. Returns its response; undefined if the connection was reset. */
async function sendOne(sandbox: Sandbox, choice: number, ids: number[]): Promise<Response | undefined> {
  const [first] = ids;
  const reserved = choice % 5 === 0 && { termType: "reserved" as const, termPeriodDays: termDays };
  const sending = () => {
    if (first !== undefined && (ids.length > maxActive || choice < 15)) {
      ids.shift();
      const input = { rentalId: first };
      return sandbox.fetch(requestForAssumed("terminateVirtualMachineRental", input, sandbox.keys.full));
    }
    if (choice < 45) {
      const gpuType = choice % 2 === 0 ? "h100" : "b200";
      return sandbox.call("createVirtualMachineRental", { gpuCount: 1 + (choice % 8), gpuType, ...reserved });
    }
    if (choice < 60) return sandbox.call("getActiveRentalSummary");
    if (choice < 75) return sandbox.call("listVirtualMachineRentals");
    if (choice < 78) return sandbox.call("getOpenApiDocument");
    return sandbox.call("getRental", { rentalId: first ?? 1 });
  };
  return sending().catch((error) => {
    if (error.code !== "ECONNRESET") throw error;
    return undefined;
  });
}

/** Time limit of the test, in milliseconds. */
const timeout = thorough ? 3_600_000 : 120_000;

test("with many clients, faults and moves of the clock, only injected server errors occur, and every bill is right", {
  timeout,
}, async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "*", rate: 0.02, seed: 1, times: requests, status: 503 });
  sandbox.faults.add({ operation: "*", rate: 0.01, seed: 2, times: requests, reset: true });
  sandbox.faults.add({
    operation: "createVirtualMachineRental",
    every: 50,
    times: requests,
    status: 500,
    applied: true,
  });
  const choices = fc.sample(fc.integer({ min: 0, max: 99 }), { numRuns: requests, seed: 7 });
  const ids: number[] = [];
  let next = 0;
  let faulty = 0;
  let heapBefore = 0;
  const client = async (): Promise<void> => {
    for (let choice = choices[next++]; choice !== undefined; choice = choices[next++]) {
      if (next === requests / 2) heapBefore = heapUsed();
      if (next % 50 === 0) sandbox.clock.advance(choice * 0.01 * hourMs);
      const response = await sendOne(sandbox, choice, ids);
      if (response === undefined || response.headers.has(faultHeader)) {
        faulty += 1;
        continue;
      }
      // Vitest keeps what each `expect` compares until the test ends, which would count as growth.
      if (response.status >= 500) expect.fail(await response.text());
      const body: unknown = await response.json();
      if (response.status === 200 && choice >= 15 && choice < 45) ids.push(Number(Object(body).id));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));

  expect(faulty).toBe(sandbox.faults.list().reduce((sum, { left }) => sum + requests - Number(left), 0));
  expect(faulty).toBeGreaterThan(0);
  if (thorough) expect(heapUsed() - heapBefore).toBeLessThan(heapGrowth);

  sandbox.faults.clear();
  sandbox.clock.freeze();
  const now = Date.parse(sandbox.clock.show().now);
  const active = await sandbox.ask("listVirtualMachineRentals");
  const past = await sandbox.ask("listRentalHistory");
  const records = [...active, ...past] as unknown as readonly Record[];
  expect(records.length).toBeGreaterThan(requests / 10);
  const bills = records.map((one) => billOf(one, now));
  expect(records.map(({ billedCents }) => billedCents)).toEqual(bills);
  const spentCents = bills.reduce((sum, cents) => sum + cents, 0);
  expect(spentCents).toBeGreaterThan(0);
  expect((await sandbox.assumed("getBalance")).body).toMatchObject({ spentCents });
});
