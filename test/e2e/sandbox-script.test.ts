import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMemoryHome } from "../support/memory-home.ts";
import { createHome } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { sample, thorough } from "../support/thorough.ts";

const seed = `
clock: { now: "2026-12-01T00:00:00Z", frozen: true }
balanceCents: 500000
rentals:
  - { rentalType: bare-metal, gpuCount: 8, networkType: infiniband, createdAt: "2026-11-30T00:00:00Z" }
`;

/** Rents, reserves, lets the terms end, and reads the resulting records. */
const script = [
  "sandbox seed SEED --yes -o json",
  "rentals create vm --gpus 2 --label first -o json",
  "rentals create vm --gpus 1 --term-type reserved --days 30 --no-convert-to-on-demand-on-expiry -o json",
  "sandbox clock advance 1h -o json",
  "volumes create --label datasets --region eu-west-3 --size-in-gb 512 --rental-ids 1001 -o json",
  "reserve convert 1002 --days 30 --expected-price 2592 -o json",
  "chat hello -o json",
  "sandbox fault add --operation listVirtualMachineRentals --status 503 --times 1 -o json",
  "rentals list -o json --retries 0",
  "sandbox clock advance 30d",
  "rentals history -o json",
  "sandbox clock set 2027-06-01",
  "rentals summary",
  "api call listUsage --sandbox",
  "api call listInvoices --sandbox",
  "api call getBalance --sandbox",
  "sandbox requests -o json",
  "sandbox snapshot -",
];

async function runScript() {
  const env = { GPUCTL_SANDBOX: "1", GPUCTL_NO_INPUT: "1" };
  const home = await (thorough ? createHome : createMemoryHome)(env);
  writeFileSync(join(home.folder, "seed.yaml"), seed);
  const lines: { line: string; code: number | undefined; out: string }[] = [];
  for (const line of script) {
    const { code, out } = await home.run(line.replace("SEED", join(home.folder, "seed.yaml")));
    lines.push({ line, code, out: out.replaceAll(home.folder, "HOME") });
  }
  return lines;
}

// A thorough run starts a process for each line, and runs the script twice. In other runs, one process runs the script
// once, because other tests run such a script twice in one process.
test("the bills of the sandbox agree with its records, and a script that runs again from the same seed prints the same", async (context) => {
  if (!thorough) skipWithout("bash", context);
  const [first = [], ...others] = await Promise.all(sample([runScript, runScript], 0).map((run) => run()));
  for (const other of others) expect(other).toEqual(first);
  const codes = first.map(({ code }) => code);
  expect(codes).toEqual(script.map((line) => (line.includes("--retries 0") ? 7 : 0)));
  const outputOf = (start: string) => JSON.parse(first.find(({ line }) => line.startsWith(start))?.out ?? "");
  expect(outputOf("rentals history -o json")).toMatchObject([
    { id: 1003, terminatedAt: "2026-12-31T00:00:02.000Z", billedCents: 30 * 24 * 180 },
  ]);
  const usedSeconds = 183 * 24 * 3600 - 4;
  const { items } = outputOf("api call listUsage");
  expect(items).toMatchObject([
    { rentalId: 1001, until: null, amountCents: Math.floor((usedSeconds * 1600) / 3600) },
    { rentalId: 1002, until: null },
    { rentalId: 1003, until: "2026-12-31T00:00:02.000Z", amountCents: 30 * 24 * 180 },
  ]);
  const [{ totalCents, lines }] = outputOf("api call listInvoices");
  expect(lines).toEqual(items);
  const { creditCents, spentCents, balanceCents } = outputOf("api call getBalance");
  expect([spentCents, balanceCents]).toEqual([totalCents, creditCents - totalCents]);
  expect(outputOf("reserve convert")).toMatchObject({ reservedUntil: "2026-12-31T01:00:00.000Z" });
});
