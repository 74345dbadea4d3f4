import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { writeAndCheck } from "../../command-kit/outcomes.ts";
import { ServiceError } from "../../core/service-errors.ts";

export default defineCommand({
  path: "user delete",
  summary: "Delete the current user",
  operation: "deleteCurrentUser",
  alsoCalls: ["deleteCurrentUserLegacy", "getActiveRentalSummary"],
  confirm: {
    destruction: () => "Delete the current user? This cannot be undone.",
    typed: ({ settings }) => settings.profile,
  },
  view: { kind: "record", id: [] },
  examples: [
    { text: "Delete the current user without confirmation", command: "gpuctl user delete --yes --sandbox" },
    { text: "Show what would be sent", command: "gpuctl user delete --dry-run --sandbox" },
  ],
  run: async ({ call }) => ({
    data: await writeAndCheck(
      () => call("deleteCurrentUser", {}),
      "`gpuctl auth status` shows whether the service still accepts the key.",
      () => finding({ call }),
    ),
  }),
});

/** Says whether the service still accepts the user's key. */
async function finding({ call }: Pick<Context, "call">): Promise<string> {
  try {
    await call("getActiveRentalSummary", {});
    return "The service still accepts the key. Check again before you retry.";
  } catch (error) {
    return error instanceof ServiceError && error.status === 401
      ? "The service does not accept the key any more: the user was probably deleted."
      : "The outcome could not be checked. Check it yourself before you try again.";
  }
}
