import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { nothingDone } from "../../command-kit/results.ts";
import type { ProfileChange } from "../../config/types.ts";
import { keyEnding } from "../../core/text.ts";

export default defineCommand({
  path: "auth login",
  summary: "Store an API key and its hosts in a profile",
  details:
    "The key is typed at a hidden prompt, read from stdin, or printed by a command. It is never an argument on the command line.",
  flags: {
    withToken: flag.boolean("Read the key from stdin", { conflictsWith: ["keyCommand"] }),
    keyCommand: flag.text("Store a command line that prints the key, instead of the key itself", {
      value: "COMMAND",
    }),
  },
  uses: ["profiles", "secrets"],
  view: { kind: "record", id: [] },
  examples: [
    {
      text: "Store a key for a service; prompts for the key",
      command: "gpuctl auth login --base-url https://api.example.com",
    },
    {
      text: "Log in from a script",
      command: "printenv API_KEY | gpuctl auth login --with-token --base-url https://api.example.com",
    },
    {
      text: "Read the key from a password manager",
      command: "gpuctl auth login --key-command 'pass show gpuctl' --base-url https://api.example.com",
    },
  ],
  run: async ({ flags: { keyCommand, withToken }, profiles, say, secrets, settings }) => {
    const { profile, baseUrl, inferenceBaseUrl, dryRun } = settings;
    const change: ProfileChange =
      keyCommand === undefined
        ? { apiKey: await secrets.readKey({ fromStdin: withToken }) }
        : { settings: { apiKeyCommand: keyCommand } };
    if (dryRun) say(nothingDone);
    else {
      await profiles.save(profile, {
        ...change,
        settings: {
          sandbox: undefined,
          ...change.settings,
          ...(baseUrl !== undefined && { baseUrl }),
          ...(inferenceBaseUrl !== undefined && { inferenceBaseUrl }),
        },
      });
      say("The key was not checked. Run `gpuctl auth status` to check it.");
    }
    if (baseUrl === undefined) say("No base URL is set. Pass --base-url or set GPUCTL_BASE_URL.");
    else if (inferenceBaseUrl === undefined) {
      say("Inference uses the base URL too; --inference-base-url sets another host for it.");
    }
    return {
      data: {
        profile,
        key: change.apiKey === undefined ? "apiKeyCommand" : `…${keyEnding(change.apiKey)}`,
        baseUrl: baseUrl ?? null,
        inferenceBaseUrl: inferenceBaseUrl ?? baseUrl ?? null,
        savedIn: dryRun ? null : profiles.path,
      },
    };
  },
});
