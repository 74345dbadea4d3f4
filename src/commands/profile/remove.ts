import { defineCommand } from "../../command-kit/define.ts";
import { profileNamed } from "../../command-kit/profiles.ts";
import { nothingDone } from "../../command-kit/results.ts";
import type { ProfileValues } from "../../config/types.ts";
import { originOf } from "../../core/urls.ts";
import { exampleProfiles, existingProfile } from "./args.ts";

export default defineCommand({
  path: "profile remove",
  summary: "Remove a profile and its key",
  effect: "destroy",
  args: [existingProfile],
  uses: ["profiles"],
  view: { kind: "record", id: ["removed"] },
  examples: [
    {
      text: "Remove a profile",
      command: "gpuctl profile remove play --yes",
      after: [exampleProfiles.play],
    },
    {
      text: "Remove a profile, and print the result as JSON",
      command: "gpuctl profile remove work --yes -o json",
      after: [exampleProfiles.play, exampleProfiles.work],
    },
  ],
  // Reports an unknown profile before the confirmation prompt, not after it.
  buildInput: ({ args, profiles }) => profileNamed(args.name, profiles.list()),
  confirm: {
    destruction: ({ input: { name, settings } }) =>
      `Remove the profile "${name}" (${hostOf(settings)}) with its key and its settings?`,
  },
  run: async ({ input: { name, isDefault }, profiles, say, settings }) => {
    if (settings.dryRun) say(nothingDone);
    else await profiles.remove(name);
    const remaining = profiles.list();
    const current = remaining.find((one) => one.isDefault);
    if (isDefault && !settings.dryRun) {
      if (current) say(`The current profile is now "${current.name}".`);
      else if (remaining.length === 0) say("No profile is left. Run `gpuctl setup` to create one.");
      else say("There is no current profile now. Run `gpuctl profile use NAME` to choose one.");
    }
    const used = remaining.find((one) => one.inUse) ?? current;
    return { data: { removed: settings.dryRun ? null : name, inUse: used?.name ?? null } };
  },
});

function hostOf({ sandbox, baseUrl }: ProfileValues): string {
  if (sandbox === "true") return "sandbox";
  return originOf(baseUrl)?.replace(/^https?:\/\//, "") ?? "no host";
}
