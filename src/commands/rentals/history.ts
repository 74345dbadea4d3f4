import { defineCommand } from "../../command-kit/define.ts";
import { pastRentals } from "./views.ts";

export default defineCommand({
  path: "rentals history",
  summary: "List the rentals that have ended",
  operation: "listRentalHistory",
  view: pastRentals,
  examples: [
    { text: "List past rentals", command: "gpuctl rentals history --sandbox" },
    { text: "Print as JSON", command: "gpuctl rentals history -o json --sandbox" },
  ],
  run: ({ list }) => list("listRentalHistory", {}),
});
