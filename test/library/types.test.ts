import { expectTypeOf, test } from "vitest";
import type { OperationId as ContractId, InputOf, OutputOf } from "../../src/contract/index.ts";
import type {
  Client,
  CompletionChunk,
  GetRentalOutput,
  Id,
  Inputs,
  OperationId,
  Outputs,
  Rental,
} from "../../src/library/client.ts";
import type { Sandbox } from "../../src/library/sandbox.ts";

/** A type after a round trip through JSON: an optional field is absent instead of undefined. */
type Json<Value> = Value extends (infer Item)[]
  ? Json<Item>[]
  : Value extends object
    ? { [Name in keyof Value]: Json<Exclude<Value[Name], OptionalIn<Value, Name>>> }
    : Value;
type OptionalIn<Value, Name extends keyof Value> =
  Record<never, never> extends Pick<Value, Name> ? undefined : never;

/** The operations whose first type does not extend the second one. */
type Mismatched<Pairs extends Record<OperationId, readonly [unknown, unknown]>> = {
  [Id in OperationId]: Pairs[Id][0] extends Pairs[Id][1] ? never : Id;
}[OperationId];

test("the types without zod match the schemas of every operation", () => {
  expectTypeOf<OperationId>().toEqualTypeOf<ContractId>();
  expectTypeOf<Mismatched<{ [Id in OperationId]: [Inputs[Id], InputOf<Id>] }>>().toBeNever();
  expectTypeOf<Mismatched<{ [Id in OperationId]: [Json<InputOf<Id>>, Inputs[Id]] }>>().toBeNever();
  expectTypeOf<Mismatched<{ [Id in OperationId]: [Json<OutputOf<Id>>, Outputs[Id]] }>>().toBeNever();
  expectTypeOf<Mismatched<{ [Id in OperationId]: [Outputs[Id], OutputOf<Id>] }>>().toBeNever();
});

test("a method takes the input of its operation and returns a promise of its output", () => {
  type Rent = Client["createVirtualMachineRental"];
  expectTypeOf<Parameters<Rent>[0]>().toEqualTypeOf<Inputs["createVirtualMachineRental"]>();
  expectTypeOf<Awaited<ReturnType<Rent>>>().toEqualTypeOf<Rental>();
  expectTypeOf<Rental["gpuCount"]>().toEqualTypeOf<number | null | undefined>();
  expectTypeOf<Rental["something new"]>().toBeUnknown();
  expectTypeOf<Parameters<Client["attachStorageVolume"]>[0]["rentalIds"]>().toEqualTypeOf<Id[]>();
});

test("an input is optional only if none of its fields is required", () => {
  expectTypeOf<Client["listStorageVolumes"]>().toBeCallableWith();
  expectTypeOf<Client["listVirtualMachineRentals"]>().toBeCallableWith({ includeClusterPools: true });
  expectTypeOf<Parameters<Client["getRental"]>>().toExtend<[object, ...unknown[]]>();
  expectTypeOf<[]>().not.toExtend<Parameters<Client["getRental"]>>();
  expectTypeOf<{ gpuCount: 1; gpuType: "a100" }>().not.toExtend<Inputs["createVirtualMachineRental"]>();
});

test("the state of a looked-up rental is active or terminated", () => {
  expectTypeOf<NonNullable<GetRentalOutput>["state"]>().toEqualTypeOf<"active" | "terminated">();
});

test("only streaming operations return chunks", () => {
  expectTypeOf<Client["stream"]>().parameter(0).toEqualTypeOf<"createChatCompletion">();
  expectTypeOf<Client["stream"]>().returns.toEqualTypeOf<AsyncGenerator<CompletionChunk>>();
});

test("the sandbox's fetch can replace the global one", () => {
  expectTypeOf<Sandbox["fetch"]>().toExtend<typeof globalThis.fetch>();
});
