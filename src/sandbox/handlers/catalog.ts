import { bareMetalRegions, gpuTypes, networkTypes, virtualMachineRegions } from "../../contract/enums.ts";
import { sandboxChatModel } from "../../core/sandbox.ts";
import { hourlyCents } from "../rentals/prices.ts";
import { gpusPerMachine } from "../rentals/record.ts";
import { capacityAt } from "../situations/capacity.ts";
import { findEngine } from "../tables/engines.ts";
import type { Handlers } from "./handler.ts";

/** The GPU counts of the virtual machines that are listed as rental options. */
export const listedSizes = [1, 2, 4, gpusPerMachine];

const priced = (gpuType: (typeof gpuTypes)[number], gpuCount: number) => ({
  gpuType,
  gpuCount,
  costPerHourCents: hourlyCents({ gpuType, gpuCount, discountPercentage: 0 }),
});

/** Every rental option, without `totalAvailable`. */
const everyOption = () => [
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
];

/** Handlers of the lists of rental options and chat models. */
export const catalog = {
  listRentalOptions: (_input, { store, now }) => {
    const availableAt = capacityAt(store, now);
    return everyOption().map((option) => {
      const available = availableAt(option);
      return available === undefined
        ? option
        : { ...option, totalAvailable: Math.floor(available / option.gpuCount) };
    });
  },

  listChatModels: async (_input, { store, exchange, environment }) => {
    const engine = findEngine(store, "chat");
    if (engine !== undefined) {
      const { passOnModels } = await import("../engines/remote/chat.ts");
      return passOnModels(exchange, { engine, environment, signal: exchange.request.signal });
    }
    return {
      object: "list",
      data: [{ id: sandboxChatModel, object: "model", created: 0, owned_by: "gpuctl" }],
    };
  },
} satisfies Partial<Handlers>;
