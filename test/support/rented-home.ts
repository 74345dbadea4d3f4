import { join } from "node:path";
import { createSandbox } from "../../src/sandbox/index.ts";
import { requestFor } from "../sandbox/request.ts";
import { createHome, type Environment, type Home } from "./process.ts";

/** A home in whose sandbox virtual machines with these labels have just been rented. */
export async function createRentedHome(labels: readonly string[], env: Environment = {}): Promise<Home> {
  const home = await createHome(env);
  const sandbox = await createSandbox({ file: join(home.folder, "state", "sandbox.sqlite") });
  for (const label of labels) {
    await sandbox.fetch(requestFor("createVirtualMachineRental", { gpuCount: 1, label }, sandbox.keys.full));
  }
  sandbox.close();
  return home;
}
