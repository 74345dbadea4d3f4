import { defineCommand } from "../../../command-kit/define.ts";
import { sandboxExamples } from "../../../command-kit/examples.ts";
import { oneRental } from "../views.ts";
import {
  checkCreateFlags,
  createFlags,
  createRentals,
  endDetails,
  rentalQuestion,
  withinBurnOfProfile,
} from "./create.ts";

export default defineCommand({
  path: "rentals create vm",
  summary: "Rent a virtual machine",
  details: endDetails,
  operation: "createVirtualMachineRental",
  alsoCalls: ["listVirtualMachineRentals", "getActiveRentalSummary"],
  flags: createFlags,
  buildInput: ({ input, flags }) => {
    checkCreateFlags(input, flags);
    return input;
  },
  offers: async (given) => (await import("./offers.ts")).rentalOffers("virtual-machine", given),
  alsoAsks: ["sshPublicKeyIds"],
  withinLimits: (given, send) => withinBurnOfProfile("virtual-machine", given, send),
  confirm: { spending: (given) => rentalQuestion("virtual-machine", given) },
  view: oneRental,
  examples: [
    { text: "Rent one H100", command: sandboxExamples.rental },
    {
      text: "Rent a machine with two H200 GPUs and a web port, and wait until it runs",
      command:
        "gpuctl rentals create vm --gpus 2 --gpu h200 --region eu-north-4 --custom-ports 8080 --wait --sandbox --yes",
    },
  ],
  run: (given) => createRentals("virtual-machine", given),
});
