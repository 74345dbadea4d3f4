import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { profileNamed, profileView, shownProfile } from "../../command-kit/profiles.ts";
import { nothingDone } from "../../command-kit/results.ts";
import { UsageError } from "../../core/errors.ts";
import { exampleProfiles } from "./args.ts";

export default defineCommand({
  path: "profile add",
  summary: "Create a profile for an account or the sandbox",
  details:
    "For an account, use --base-url. If inference has another host, also use --inference-base-url. For the sandbox, use --sandbox.",
  args: [arg.text("NAME", "Name of the new profile: letters, digits, -, _ and .", { required: true })],
  flags: {
    keyCommand: flag.text("Command line that prints the API key", { value: "COMMAND", isKeyCommand: true }),
  },
  uses: ["profiles"],
  view: profileView,
  examples: [
    { text: "Create a profile for the sandbox", command: exampleProfiles.play },
    {
      text: "Create a profile for an account whose key is in a password manager",
      command: exampleProfiles.work,
    },
  ],
  run: async ({ args: { name }, flags: { keyCommand }, profiles, say, settings }) => {
    const { sandbox, baseUrl, inferenceBaseUrl } = settings;
    if (!sandbox && baseUrl === undefined) {
      throw new UsageError("a profile needs --base-url URL or --sandbox");
    }
    if (sandbox && keyCommand !== undefined) {
      throw new UsageError("--key-command is for an account: the sandbox has its own key");
    }
    const values = {
      ...(sandbox && { sandbox: "true" }),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(inferenceBaseUrl !== undefined && { inferenceBaseUrl }),
      ...(keyCommand !== undefined && { apiKeyCommand: keyCommand }),
    };
    if (settings.dryRun) {
      say(nothingDone);
      return { data: shownProfile({ name, inUse: false, settings: values, key: undefined }) };
    }
    await profiles.add(name, { settings: values });
    const added = profileNamed(name, profiles.list());
    if (!sandbox && added.key === undefined) {
      say(`The profile has no key yet. Run \`gpuctl auth login --profile ${name}\` to store one.`);
    }
    if (!added.inUse) say(`Run \`gpuctl profile use ${name}\` to switch to it, or use --profile ${name}.`);
    return { data: shownProfile(added) };
  },
});
