import type { InputOf } from "../../contract/index.ts";
import { UsageError } from "../errors.ts";
import { isRecord } from "../shared/records.ts";
import type { Verb } from "../spec.ts";
import { rentalTypes } from "./flags.ts";
import { listActive } from "./listing.ts";

type Input = InputOf<"listVirtualMachineRentals">;

export const verb: Verb<Input> = {
  run: async (query, context, { flags }) => {
    const type = rentalTypes.find((one) => one === flags.type);
    if (type === "bare-metal" && query.includeClusterPools !== undefined) {
      throw new UsageError("--include-cluster-pools is for virtual machines: leave out --type bare-metal");
    }
    const look = async () => {
      const listed = await listActive(context, query, type);
      return {
        data: listed.map(({ record }) => record),
        rows: listed.map(({ record, type: rentalType }) =>
          isRecord(record) ? { ...record, rentalType: record.rentalType ?? rentalType } : record,
        ),
      };
    };
    if (flags.watch === undefined) return look();
    return (await import("./watch.ts")).watched(look, context, flags);
  },
};
