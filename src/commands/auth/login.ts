import { checkKey, hasJson, keyStateText } from "../../client/probe/key-check.ts";
import type { Context, Ports } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { nothingDone } from "../../command-kit/results.ts";
import type { ProfileChange, ProfileSummary } from "../../config/types.ts";
import { Interrupted, reasonOf } from "../../core/errors.ts";
import {
  InvalidResponse,
  isRedirect,
  KeyRejected,
  NoBaseUrl,
  ServiceError,
} from "../../core/service-errors.ts";
import { keyEnding } from "../../core/text.ts";
import { originOf } from "../../core/urls.ts";

export default defineCommand({
  path: "auth login",
  summary: "Store an API key and its hosts in a profile",
  details:
    "Tests the key with requests that change nothing. The key is not saved if the service rejects it, or if the host is probably not the service: the host redirects, reports success without the documented JSON, or responds with 403 or 404 and without JSON. If the key cannot be tested for another reason, for example because the service cannot be reached, the key is saved untested. With --no-validate or --key-command, the key is not tested. The key is typed at a hidden prompt, read from stdin, or printed by a command. It is never an argument on the command line.",
  flags: {
    withToken: flag.boolean("Read the key from stdin", { conflictsWith: ["keyCommand"] }),
    keyCommand: flag.text("Store a command line that prints the key, instead of the key itself", {
      value: "COMMAND",
      isKeyCommand: true,
    }),
  },
  uses: ["profiles", "secrets", "callAt", "requestAt"],
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
  run: async ({ flags: { keyCommand, withToken }, profiles, secrets, ...context }) => {
    const { say, settings, setFailureContext } = context;
    const { profile, baseUrl, dryRun } = settings;
    // A key without a host could be sent to any host.
    if (baseUrl === undefined) {
      setFailureContext(
        "A key is stored with the host that it is for: add --base-url URL. Nothing was saved.",
      );
      throw new NoBaseUrl();
    }
    const change: ProfileChange =
      keyCommand === undefined
        ? { apiKey: await secrets.readKey({ fromStdin: withToken }) }
        : { settings: { apiKeyCommand: keyCommand } };
    const before = profiles.list().find(({ name }) => name === profile);
    // As with `config set baseUrl`, an inference base URL stays if the profile has no base URL yet.
    const kept = before?.settings.baseUrl === undefined ? before?.settings.inferenceBaseUrl : undefined;
    const inferenceBaseUrl = settings.inferenceBaseUrl ?? kept;
    if (dryRun) say(nothingDone);
    else {
      const found = await checked(change.apiKey, { ...context, baseUrl });
      await profiles.save(profile, {
        ...change,
        settings: {
          sandbox: undefined,
          ...change.settings,
          baseUrl,
          ...(inferenceBaseUrl !== undefined && { inferenceBaseUrl }),
        },
      });
      say(found);
      if (before) sayReplaced(before, { say, baseUrl });
    }
    if (inferenceBaseUrl === undefined) {
      say("Inference uses the base URL too; --inference-base-url sets another host for it.");
    }
    return {
      data: {
        profile,
        key: change.apiKey === undefined ? "apiKeyCommand" : `…${keyEnding(change.apiKey)}`,
        baseUrl,
        inferenceBaseUrl: inferenceBaseUrl ?? baseUrl,
        savedIn: dryRun ? null : profiles.path,
      },
    };
  },
});

/** Says what the login replaced: the sandbox, or the key for another host. */
function sayReplaced(
  { name, settings, key }: ProfileSummary,
  { say, baseUrl }: Pick<Context, "say"> & { readonly baseUrl: string },
): void {
  if (settings.sandbox === "true") {
    say(
      `The profile "${name}" used the sandbox. It now uses ${originOf(baseUrl)}, and what it rents is billed.`,
    );
  } else if (key && settings.baseUrl !== undefined && originOf(settings.baseUrl) !== originOf(baseUrl)) {
    say(`The key for ${originOf(settings.baseUrl)} in the profile "${name}" was replaced.`);
  }
}

/**
 * Tests the key, and returns the result as a sentence. Throws `KeyRejected` if the service does not accept the key, and
 * the error of the request if the host is probably not the service.
 */
async function checked(
  apiKey: string | undefined,
  {
    callAt,
    requestAt,
    baseUrl,
    settings,
    setFailureContext,
    progress,
  }: Pick<Ports, "callAt" | "requestAt"> &
    Pick<Context, "settings" | "setFailureContext" | "progress"> & { readonly baseUrl: string },
): Promise<string> {
  const { inferenceBaseUrl, validate } = settings;
  const untested = (why: string) => `The key was saved untested: ${why}. \`gpuctl auth status\` tests it.`;
  if (apiKey === undefined) {
    return "The command line was saved. gpuctl runs it when it needs the key. `gpuctl auth status` tests the key.";
  }
  if (!validate) return untested("--no-validate");
  const endpoint = { baseUrl, inferenceBaseUrl, apiKey };
  try {
    const service = { call: callAt(endpoint), request: requestAt(endpoint) };
    const state = await progress("Checking the key", () => checkKey(apiKey, service));
    if (state === "rejected") throw new KeyRejected(keyStateText.rejected.replace(/\.$/, ""));
    return keyStateText[state];
  } catch (error) {
    if (error instanceof KeyRejected || error instanceof Interrupted) throw error;
    if (isWrongHost(error)) {
      setFailureContext("Nothing was saved. Is the base URL right? --no-validate saves the key untested.");
      throw error;
    }
    return untested(`the service could not check it (${reasonOf(error)})`);
  }
}

/**
 * Whether an error says that the host is probably not the service: the host redirects, or its response is not what the
 * service documents. Of the error statuses, only 403 and 404 without JSON count. With any other error status, the
 * service itself may respond without JSON, for example if it is too busy.
 */
const isWrongHost = (error: unknown): boolean =>
  error instanceof InvalidResponse ||
  (error instanceof ServiceError &&
    (isRedirect(error.status) || ([403, 404].includes(error.status) && !hasJson(error))));
