import { expect, test } from "vitest";
import { isRecord } from "../../src/core/json.ts";
import { describedOperations } from "../../src/openapi/described.ts";
import { readDescription } from "../../src/openapi/document.ts";
import { limitedPatterns, schemaIssues } from "../../src/openapi/schema-check.ts";
import { openSandbox } from "../library/harness.ts";

test("responses have the fields that the description requires, and the description requires the fields that are always sent", async () => {
  const { sandbox, client } = await openSandbox();
  const description = readDescription(await (await sandbox.fetch("/v2/openapi.json")).text());
  if (!description) throw new Error("no description");
  const conforms = (id: string, value: unknown) => {
    const operation = describedOperations(description).find((one) => one.id === id);
    const schema = operation?.responses.find(({ status }) => status === "200")?.schema;
    const check = { description, fromText: false, patterns: limitedPatterns() };
    expect(schema).toBeDefined();
    expect({ id, issues: schemaIssues(schema, value, check) }).toEqual({ id, issues: [] });
  };
  const sent = (schemaName: string, value: unknown) => {
    const schema = Object(Object(description.components).schemas)[schemaName];
    const optional = Object.keys(schema.properties).filter((name) => !schema.required.includes(name));
    expect({ schemaName, missing: optional.filter((name) => isRecord(value) && name in value) }).toEqual({
      schemaName,
      missing: [],
    });
  };
  const volume = await client.createStorageVolume({ region: "us-central-1", label: "data", sizeInGb: 512 });
  conforms("createStorageVolume", volume);
  sent("CreatedStorageVolume", volume);
  const metal = await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband" });
  const rental = await client.createVirtualMachineRental({ gpuCount: 1 });
  conforms("createBareMetalRental", metal);
  conforms("createVirtualMachineRental", rental);
  sent("Rental", rental);
  const [rentalId, id] = [metal.id ?? "", volume.id ?? ""];
  conforms(
    "attachStorageVolume",
    await client.attachStorageVolume({ storageVolumeId: id, rentalIds: [rentalId] }),
  );
  for (const span of ["0s", "5m"]) {
    sandbox.advance(span);
    conforms("getRental", await client.getRental({ rentalId: String(rentalId) }));
    const listed = await client.listBareMetalRentals();
    conforms("listBareMetalRentals", listed);
    sent("RentalWithStatus", listed[0]);
  }
  conforms("getActiveRentalSummary", await client.getActiveRentalSummary());
  conforms("listStorageVolumes", await client.listStorageVolumes());
  conforms("updateCurrentUser", await client.updateCurrentUser({ name: "Ada" }));
  await client.terminateRental({ rentalId });
  const ended = await client.getRental({ rentalId: String(rentalId) });
  conforms("getRental", ended);
  sent("TerminatedRentalLookup", ended);
  conforms("listRentalHistory", await client.listRentalHistory());
});
