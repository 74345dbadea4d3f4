import type { RentalType } from "../../../client/rentals/type.ts";
import type { Context } from "../../../command-kit/context.ts";
import type { NextStep } from "../../../core/result.ts";
import { quoted } from "../../../core/text.ts";
import { descriptionTimeout } from "../../../core/values/defaults.ts";
import { duration } from "../../../core/values/durations.ts";

interface Created {
  readonly type: RentalType;
  readonly running: boolean;
  /** The length of the rentals' leases, in milliseconds. */
  readonly lease: number | undefined;
  /** The value of `--lease-file`. */
  readonly leaseFile: string | undefined;
}

/** The commands to suggest after rentals were created. */
export async function nextSteps(
  ids: readonly string[],
  { type, running, lease, leaseFile }: Created,
  context: Pick<Context, "describe" | "settings">,
): Promise<readonly NextStep[]> {
  const [first, ...others] = ids;
  if (first === undefined || context.settings.output !== "table") return [];
  const [one, it] = others.length === 0 ? ["it", "it"] : ["the first one", "them"];
  return [
    ...(running ? [] : [{ command: "rentals wait", args: [first], text: `wait until ${one} is running` }]),
    { command: "rentals ssh", args: [first], text: `open a shell on ${one}` },
    ...((await canTerminate(type, context))
      ? [
          { command: "rentals terminate", args: ids, text: `end ${it} and stop the billing` },
          ...(lease === undefined
            ? []
            : [{ command: guardCommand(leaseFile), args: [], text: `end ${it} after ${duration(lease)}` }]),
        ]
      : []),
  ];
}

/** Whether the service lists an operation that terminates rentals of this type. */
async function canTerminate(
  type: RentalType,
  { describe, settings }: Pick<Context, "describe" | "settings">,
): Promise<boolean> {
  // The sandbox inside gpuctl always lists such an operation.
  if (settings.sandbox) return true;
  try {
    const { terminateOperations, terminateOperationsFor } = await import("../../../openapi/terminate.ts");
    const description = await describe({ timeout: descriptionTimeout });
    return terminateOperationsFor(type, terminateOperations(description)).length > 0;
  } catch {
    return false;
  }
}

const guardCommand = (leaseFile: string | undefined): string =>
  `rentals guard --every 5m${leaseFile === undefined ? "" : ` --lease-file ${quoted(leaseFile)}`}`;
