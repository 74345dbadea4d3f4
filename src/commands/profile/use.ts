import { defineCommand } from "../../command-kit/define.ts";
import { profileNamed, profileView, shownProfile } from "../../command-kit/profiles.ts";
import { nothingDone } from "../../command-kit/results.ts";
import { exampleProfiles, existingProfile } from "./args.ts";

export default defineCommand({
  path: "profile use",
  summary: "Switch to a profile",
  args: [existingProfile],
  uses: ["environment", "profiles"],
  view: profileView,
  examples: [
    {
      text: "Switch to the sandbox",
      command: "gpuctl profile use play",
      after: [exampleProfiles.play, exampleProfiles.work],
    },
    {
      text: "Switch without messages on stderr",
      command: "gpuctl profile use work -q",
      after: [exampleProfiles.play, exampleProfiles.work],
    },
  ],
  run: async ({ args: { name }, environment, profiles, say, settings }) => {
    if (settings.dryRun) {
      say(nothingDone);
      return { data: shownProfile(profileNamed(name, profiles.list())) };
    }
    await profiles.use(name);
    const used = profileNamed(name, profiles.list());
    // `--profile` needs no message, because the flag selects a profile for this command only.
    const selected = environment.GPUCTL_PROFILE;
    if (selected && selected !== name) {
      say(`"${selected}" is still used in this shell, because GPUCTL_PROFILE selects it.`);
    }
    return { data: shownProfile(used) };
  },
});
