import { expect, test } from "vitest";
import { operations } from "../../src/contract/index.ts";
import type { Field } from "../../src/contract/plain/field.ts";
import { fieldsOf } from "../../src/contract/plain/fields.ts";
import { validInput, validShape, validValue } from "../support/valid-inputs.ts";
import { openSandbox } from "./harness.ts";

type Json = Readonly<Record<string, unknown>>;

const kinds = [
  {
    create: "createVirtualMachineRental",
    rentalType: "virtual-machine",
    list: "listVirtualMachineRentals",
    terminate: "terminateVirtualMachineRental",
  },
  {
    create: "createBareMetalRental",
    rentalType: "bare-metal",
    list: "listBareMetalRentals",
    terminate: "terminateBareMetalRental",
  },
] as const;

/** By field: the other fields without which the sandbox rejects or ignores this field. */
const companions: Readonly<Record<string, Json>> = {
  termPeriodDays: { termType: "reserved" },
  termType: { termPeriodDays: 1 },
};

/** Fields that a record reports under another name, with the reported value. */
const reported: Readonly<Record<string, Json>> = {
  sshPublicKeyId: { sshPublicKeyIds: [1] },
  storageVolume: { storageVolumeIds: [501] },
};

/** A valid value other than the field's default. */
function unlikeDefault(field: Field): unknown {
  if (field.choices) return field.choices.findLast((choice) => choice !== field.default);
  if (field.kind === "boolean") return field.default !== true;
  if (field.kind === "shapes") return validShape(field.shapes?.at(-1) ?? []);
  return validValue(field);
}

const rows = kinds.flatMap((kind) =>
  fieldsOf(operations[kind.create].input).map((field) => ({ ...kind, name: field.name, field })),
);

async function json(pending: Promise<Response>): Promise<unknown> {
  const response = await pending;
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toMatchObject({ status: 200 });
  return body;
}

test.each(rows)("$create stores $name and returns it", async ({ create, list, terminate, name, field }) => {
  const sandbox = await openSandbox();
  await sandbox.assumed("createSshKey", { name: "laptop", publicKey: "ssh-rsa AAAA" });
  const value = unlikeDefault(field);
  const expected = reported[name] ?? { [name]: value };
  const lookup = () => json(sandbox.call("getRental", { rentalId: "1001" }));
  const input = { ...validInput(create), ...companions[name], [name]: value };
  expect(await json(sandbox.call(create, input))).toMatchObject(expected);
  expect(await lookup()).toMatchObject({ ...expected, state: "active" });
  expect(await json(sandbox.call(list))).toMatchObject([expected]);

  const snapshot = JSON.stringify(sandbox.snapshot());
  sandbox.reset();
  sandbox.restore(snapshot);
  expect(await lookup()).toMatchObject(expected);

  await sandbox.assumed(terminate, { rentalId: 1001 });
  expect(await lookup()).toMatchObject({ ...expected, state: "terminated" });
  expect(await json(sandbox.call("listRentalHistory"))).toMatchObject([expected]);
});

test.each(rows.filter(({ name }) => name !== "storageVolume"))(
  "a seed stores $name of a $rentalType rental",
  async ({ create, rentalType, name, field }) => {
    const sandbox = await openSandbox();
    const value = unlikeDefault(field);
    const rental = { ...validInput(create), ...companions[name], [name]: value, rentalType };
    const sshKeys = [{ name: "laptop", publicKey: "ssh-rsa AAAA" }];
    await sandbox.seed(JSON.stringify({ sshKeys, rentals: [rental] }));
    const expected = reported[name] ?? { [name]: value };
    expect(await json(sandbox.call("getRental", { rentalId: "1001" }))).toMatchObject(expected);
  },
);

test.each(fieldsOf(operations.createStorageVolume.input))(
  "createStorageVolume stores $name and returns it",
  async (field) => {
    const sandbox = await openSandbox();
    await sandbox.ask("createBareMetalRental", { gpuCount: 8, networkType: "ethernet" });
    const value = field.name === "rentalIds" ? [1001] : unlikeDefault(field);
    const input = { ...validInput("createStorageVolume"), [field.name]: value };
    expect(await json(sandbox.call("createStorageVolume", input))).toMatchObject({ [field.name]: value });
    expect(await json(sandbox.call("listStorageVolumes"))).toMatchObject([{ [field.name]: value }]);
  },
);

test.each(fieldsOf(operations.updateCurrentUser.input))(
  "updateCurrentUser stores $name and returns it",
  async (field) => {
    const sandbox = await openSandbox();
    const value = unlikeDefault(field);
    const user = { [field.name]: value };
    expect(await json(sandbox.call("updateCurrentUser", user))).toMatchObject({ user });
    expect(await json(sandbox.call("updateCurrentUser", {}))).toMatchObject({ user });
  },
);

test("every rental reports every field of both create operations, given or not", async () => {
  const sandbox = await openSandbox();
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  await sandbox.ask("createBareMetalRental", { gpuCount: 8, networkType: "ethernet" });
  const names = rows.map(({ name }) => name).filter((name) => !(name in reported));
  for (const rentalId of ["1001", "1002"]) {
    const record = await sandbox.ask("getRental", { rentalId });
    expect(Object.keys(record ?? {})).toEqual(expect.arrayContaining(names));
  }
});
