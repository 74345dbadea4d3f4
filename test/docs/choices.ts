import { routes } from "../../src/contract/generated/routes.ts";

const choicesOf = (name: string): readonly string[] =>
  routes.createVirtualMachineRental.fields.find((field) => field.name === name)?.choices ?? [];

export const gpuTypes = choicesOf("gpuType");
export const vmRegions = choicesOf("region");
