import { defineCommand } from "../../command-kit/define.ts";
import { writeAndCheck } from "../../command-kit/outcomes.ts";
import { UsageError } from "../../core/errors.ts";

export default defineCommand({
  path: "user update",
  summary: "Update the current user",
  operation: "updateCurrentUser",
  alsoCalls: ["updateCurrentUserLegacy"],
  view: { kind: "record", id: ["user.id"] },
  examples: [
    { text: "Change your name", command: 'gpuctl user update --name "Ada Lovelace" --sandbox' },
    {
      text: "Set what the account is used for",
      command: "gpuctl user update --onboarded-for research -o json --sandbox",
    },
  ],
  run: async ({ input, call }) => {
    if (Object.keys(input).length === 0) {
      throw new UsageError("nothing to change: use --name or --onboarded-for");
    }
    return {
      data: await writeAndCheck(
        () => call("updateCurrentUser", input),
        "No command can show whether the change was made. Running the same command again is safe: it sets the same values.",
      ),
    };
  },
});
