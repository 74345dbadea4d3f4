import type { Context, ProfileChange } from "../../context/context.ts";
import { UsageError } from "../errors.ts";
import { nothingDone } from "../shared/dry-run.ts";
import type { Args, Verb } from "../spec.ts";
import { keyEnding } from "./key-ending.ts";

export const verb: Verb<object> = {
  run: async (_input, context, { flags }) => {
    const { settings, profiles, say } = context;
    const { profile, baseUrl, inferenceBaseUrl, dryRun } = settings;
    const change = await keyOf(flags, context);
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
    }
    if (!dryRun) say("The key was not tried: `gpuctl auth status` asks the service.");
    if (baseUrl === undefined) say("No base URL yet: give --base-url, or set GPUCTL_BASE_URL.");
    else if (inferenceBaseUrl === undefined) {
      say("Inference goes to the base URL too; --inference-base-url keeps another host for it.");
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
};

/** A key, or the program that prints it. */
async function keyOf(flags: Args["flags"], { secrets }: Pick<Context, "secrets">): Promise<ProfileChange> {
  const { "key-command": apiKeyCommand, "with-token": fromStdin } = flags;
  if (typeof apiKeyCommand !== "string") {
    return { apiKey: await secrets.readKey({ fromStdin: fromStdin === true }) };
  }
  if (fromStdin) throw new UsageError("--with-token and --key-command exclude each other");
  return { settings: { apiKeyCommand } };
}
