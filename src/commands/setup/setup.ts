import { defineCommand } from "../../command-kit/define.ts";
import { profileDetails, profileView } from "../../command-kit/profiles.ts";
import { jsonOf, recordsOf } from "../../command-kit/responses.ts";
import { nothingDone } from "../../command-kit/results.ts";
import { firstAt } from "../../core/json.ts";
import { isDescription } from "../../openapi/document.ts";
import { modelsListing } from "../../openapi/resources.ts";
import { isWord, plainText } from "../../output/text.ts";
import { askAccount } from "./account.ts";
import { offerCompletions } from "./completions.ts";
import { createWizard, type Wizard } from "./wizard.ts";

const withoutPrompts =
  "Without prompts: `gpuctl auth login` stores a key and its host, `gpuctl profile add` creates a profile, and `gpuctl config set` sets a default.";

/** What setup does, in lines that fit 80 columns. */
const welcome = [
  "Welcome to gpuctl. Setup connects it to a service or to the sandbox, and",
  "saves your answers in a profile. Press Ctrl-C to stop.",
];

export default defineCommand({
  path: "setup",
  summary: "Set up gpuctl step by step",
  details:
    "Tests the URLs and the key, and saves your answers in a profile. Run setup again to continue, or to change a setting.",
  uses: [
    "ask",
    "profiles",
    "secrets",
    "callAt",
    "requestAt",
    "environment",
    "installation",
    "completionScript",
  ],
  view: profileView,
  examples: [
    { text: "Set up the current profile, or create the first one", command: "gpuctl setup" },
    { text: "Set up another profile", command: "gpuctl setup --profile play" },
  ],
  run: async ({ ask, ...context }) => {
    const { settings, say, profiles } = context;
    if (settings.dryRun) {
      say(nothingDone);
      return { data: null };
    }
    const prompts = await ask(withoutPrompts);
    for (const line of welcome) say(line);
    const profile = await prompts.text({
      message: "Name of the profile",
      initial: settings.profile,
      validate: profiles.nameProblem,
    });
    const wizard = createWizard(profile, prompts, context);
    await askService(wizard);
    await askDefaults(wizard);
    await offerCompletions(wizard);
    await offerSwitch(wizard);
    for (const line of nextSteps(wizard)) say(line);
    const saved = wizard.stored();
    return { data: saved ? { ...profileDetails(saved), savedIn: profiles.path } : null };
  },
});

async function askService(wizard: Wizard): Promise<void> {
  const usesSandbox = wizard.stored()?.settings.sandbox === "true";
  const kind = await wizard.ask.choose({
    message: "Where is the service?",
    choices: ["account", "sandbox"],
    labels: {
      account: "An account with a GPU cloud",
      sandbox: "The sandbox on this machine: no account, nothing is rented",
    },
    initial: usesSandbox ? "sandbox" : "account",
  });
  if (kind === "account") await askAccount(wizard);
  else if (!usesSandbox) await wizard.save("sandbox", { settings: { sandbox: "true" } });
}

const offeredKeys = ["rentals.region", "rentals.gpuType", "image.model", "chat.model"];

/** The answer for no default. */
const none = "-";

async function askDefaults(wizard: Wizard): Promise<void> {
  const { ask, context, save, stored } = wizard;
  for (const name of offeredKeys) {
    const key = context.profiles.describeKey(name);
    if (key === undefined) continue;
    const current = stored()?.settings[name];
    const initial = current ?? none;
    const message = `${key.text} when none is given`;
    const choices = key.choices ?? (name === "chat.model" ? await chatModels(wizard) : []);
    const others = current === undefined || choices.includes(current) ? [] : [current];
    const answer =
      choices.length > 0
        ? await ask.choose({
            message,
            choices: [none, ...choices, ...others],
            labels: { [none]: "No default" },
            initial,
          })
        : await ask.text({ message: `${message} (type "-" for no default)`, initial });
    const text = answer.trim();
    const value = text === none || text === "" ? undefined : text;
    if (value !== current) await save(key.text.toLowerCase(), { settings: { [name]: value } });
  }
  context.say("`gpuctl config list` shows every default that you can set.");
}

/** The chat models that the service lists. Empty for the sandbox, if the service lists none, or if a request fails. */
async function chatModels({ context, profile, stored }: Wizard): Promise<readonly string[]> {
  const { callAt, progress, requestAt, secrets } = context;
  const { baseUrl, inferenceBaseUrl, sandbox } = stored()?.settings ?? {};
  if (baseUrl === undefined || sandbox === "true") return [];
  const list = async () => {
    const description: unknown = await callAt({ baseUrl })("getOpenApiDocument", {}, { retries: 0 });
    const listing = isDescription(description) ? modelsListing(description) : undefined;
    if (listing === undefined) return [];
    const request = requestAt({ baseUrl, inferenceBaseUrl, apiKey: await secrets.profileKey(profile) });
    const parts = { host: "inference", method: "GET", path: listing.path } as const;
    const models = recordsOf(jsonOf(await request(parts, { retries: 0 })));
    return models.map((one) => plainText(firstAt(one, ["id"]))).filter(isWord);
  };
  return progress("Listing the chat models", list).catch(() => []);
}

async function offerSwitch({ ask, context: { profiles }, profile }: Wizard): Promise<void> {
  const used = profiles.list().find(({ isDefault }) => isDefault)?.name;
  if (used === undefined || used === profile) return;
  const message = `Use the profile "${profile}" from now on instead of "${used}"?`;
  if (await ask.confirm({ message, initial: true })) await profiles.use(profile);
}

function nextSteps({ stored, profile }: Wizard): readonly string[] {
  const { isDefault = false, settings } = stored() ?? {};
  const more = isDefault ? "" : ` --profile ${profile}`;
  const lines =
    settings?.sandbox === "true"
      ? ["gpuctl rentals create vm --gpus 1", 'gpuctl image "a lighthouse at dusk"', 'gpuctl chat "Hello"']
      : ["gpuctl auth status", "gpuctl rentals list", "gpuctl image price"];
  return ["Setup is complete. Next steps:", ...lines.map((line) => `  ${line}${more}`)];
}
