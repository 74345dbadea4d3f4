import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { profileDetails, profileNamed, profileView } from "../../command-kit/profiles.ts";
import { exampleProfiles } from "./args.ts";

export default defineCommand({
  path: "profile show",
  summary: "Show a profile's settings and where its key comes from",
  args: [arg.text("NAME", "Name of the profile (default: the current one)", { completes: "profile" })],
  uses: ["profiles"],
  view: profileView,
  examples: [
    { text: "Show the current profile", command: "gpuctl profile show", after: [exampleProfiles.play] },
    {
      text: "Show another profile as JSON",
      command: "gpuctl profile show work -o json",
      after: [exampleProfiles.play, exampleProfiles.work],
    },
  ],
  run: ({ args, profiles, settings }) => ({
    data: profileDetails(profileNamed(args.name ?? settings.profile, profiles.list())),
  }),
});
