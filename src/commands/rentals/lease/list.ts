import { lstat } from "node:fs/promises";
import { defineCommand } from "../../../command-kit/define.ts";
import { leaseFileFlag, leasePlace } from "../../../command-kit/rentals/lease-file.ts";
import { leaseRecord, readLeases, serviceName } from "../../../jobs/leases.ts";
import { leaseList } from "./place.ts";

export default defineCommand({
  path: "rentals lease list",
  summary: "List the leases of rentals: when each should end",
  details:
    "Shows the leases of this service in the lease file. The lease that ends next comes first. While a rental is being created, or if it is not known whether it was created, its lease has a token instead of the rental's ID. If ENDS WITH PROCESS is yes, the lease also ends when the gpuctl process of its job no longer runs, but not before KEPT UNTIL, which `gpuctl rentals lease extend` sets.",
  flags: leaseFileFlag,
  view: leaseList,
  examples: [
    {
      text: "List the leases",
      command: "gpuctl rentals lease list --sandbox",
      after: ["gpuctl rentals create vm --gpus 1 --lease 2h --sandbox --yes"],
    },
    {
      text: "Print the end of each lease as CSV",
      command: "gpuctl rentals lease list --columns rentalId,endsAt -o csv --sandbox",
      after: ["gpuctl rentals create vm --gpus 1 --lease 2h --sandbox --yes"],
    },
  ],
  run: async ({ flags, ...context }) => {
    const place = leasePlace(flags, context);
    const { path, ownFolder } = place;
    const { leases, unreadable } = await readLeases(place);
    if (!ownFolder && !(await lstat(path).catch(() => undefined))) {
      context.say(`There is no lease file ${path} yet.`);
    }
    const service = serviceName(context.settings);
    const own = leases.filter((lease) => lease.service === service);
    const others = leases.length - own.length;
    if (others > 0) context.say(`Leases of other services in ${path}: ${others}. They are not shown.`);
    if (unreadable.length > 0) context.say(`Lines that cannot be read in ${path}: ${unreadable.length}.`);
    return { data: own.toSorted((one, other) => one.endsAt - other.endsAt).map(leaseRecord) };
  },
});
