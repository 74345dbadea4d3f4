/**
 * A process of its own that rents machines: `node --import tsx renter.ts FILE COUNT`. It says "ready", waits for a line,
 * opens the sandbox in FILE, says the id of each rental once it is made, and converts it to a reserved one.
 */
import { once } from "node:events";
import { operations } from "../../src/contract/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { requestFor } from "./request.ts";

const [file = "", count = "1"] = process.argv.slice(2);
process.stdout.write("ready\n");
await once(process.stdin, "data");
const sandbox = await createSandbox({ file });
for (let made = 0; made < Number(count); made += 1) {
  const request = requestFor("createVirtualMachineRental", { gpuCount: 1 }, sandbox.keys.full);
  const response = await sandbox.fetch(request);
  const { id } = operations.createVirtualMachineRental.output.parse(await response.json());
  process.stdout.write(`${id}\n`);
  const term = { rentalId: id, termPeriodDays: 1, expectedTotalPriceCents: 24 * 200 };
  const converted = await sandbox.fetch(requestFor("convertToReserved", term, sandbox.keys.full));
  if (converted.status !== 200) throw new Error(await converted.text());
}
sandbox.close();
process.stdin.destroy();
