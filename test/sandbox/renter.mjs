/**
 * A child process that rents machines with the built library: `node renter.mjs FILE COUNT`. It prints "ready", waits
 * for a line, opens the sandbox in FILE, and creates COUNT rentals. It prints the ID of each and converts each to
 * reserved.
 */
import { once } from "node:events";
import { createClient } from "../../dist/library/client.mjs";
import { createSandbox } from "../../dist/library/sandbox.mjs";

const [file = "", count = "1"] = process.argv.slice(2);
process.stdout.write("ready\n");
await once(process.stdin, "data");
const sandbox = await createSandbox({ file, serve: false });
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.keys.full, fetch: sandbox.fetch });
for (let made = 0; made < Number(count); made += 1) {
  const { id } = await client.createVirtualMachineRental({ gpuCount: 1 });
  process.stdout.write(`${id}\n`);
  await client.convertToReserved({
    rentalId: String(id),
    termPeriodDays: 1,
    expectedTotalPriceCents: 24 * 200,
  });
}
await sandbox.close();
process.stdin.destroy();
