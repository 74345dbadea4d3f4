import { bareMetalRegions, gpuTypes, networkTypes, virtualMachineRegions } from "../../contract/enums.ts";
import { hourlyCents } from "../prices.ts";
import { gpusPerMachine } from "../ssh-networking.ts";
import type { Handlers } from "./handler.ts";

/** How many GPUs the listed virtual machines have. */
export const listedSizes = [1, 2, 4, gpusPerMachine];

const priced = (gpuType: (typeof gpuTypes)[number], gpuCount: number) => ({
  gpuType,
  gpuCount,
  costPerHourCents: hourlyCents({ gpuType, gpuCount, discountPercentage: 0 }),
});

export const rentalOptions = {
  listRentalOptions: () => [
    ...virtualMachineRegions.flatMap((region) =>
      gpuTypes.flatMap((gpuType) =>
        listedSizes.map((size) => ({
          machineType: "virtual-machine" as const,
          ...priced(gpuType, size),
          region,
          connectionType: "ethernet" as const,
        })),
      ),
    ),
    ...bareMetalRegions.flatMap((region) =>
      gpuTypes.flatMap((gpuType) =>
        networkTypes.map((connectionType) => ({
          machineType: "bare-metal" as const,
          ...priced(gpuType, gpusPerMachine),
          region,
          connectionType,
        })),
      ),
    ),
  ],
} satisfies Partial<Handlers>;
