import { nameProblem } from "../profile/name.ts";
import { shown } from "../profile/shown.ts";
import { nothingDone } from "../shared/dry-run.ts";
import type { Verb } from "../spec.ts";
import { account } from "./account.ts";
import { completions } from "./completions.ts";
import { defaults } from "./defaults.ts";
import { createWizard, type Wizard } from "./wizard.ts";

/** What does the same where nobody can be asked. */
const instead =
  "Without questions: `gpuctl auth login` keeps a key and its host, `gpuctl profile add` makes a profile, and `gpuctl config set` keeps a default.";

export const verb: Verb<object> = {
  run: async (_input, context) => {
    if (context.settings.dryRun) {
      context.say(nothingDone);
      return { data: null };
    }
    const ask = await context.ask(instead);
    const { profile: usual } = context.settings;
    const name = await ask.text({ message: "Name of the profile", initial: usual, validate: nameProblem });
    const wizard = createWizard(name, ask, context);
    await steps(wizard);
    for (const line of next(wizard)) context.say(line);
    return answerOf(wizard);
  },
};

async function steps(wizard: Wizard): Promise<void> {
  const { ask, keep, settings, context, profile } = wizard;
  const now = settings();
  const kind = await ask.choose({
    message: "Where is the service?",
    choices: ["account", "sandbox"],
    labels: {
      account: "An account with a GPU cloud",
      sandbox: "The sandbox on this machine: no account, nothing is rented",
    },
    initial: now.sandbox === "true" ? "sandbox" : "account",
  });
  if (kind === "account") await account(wizard);
  else if (now.sandbox !== "true") await keep("sandbox", { settings: { sandbox: "true" } });
  await defaults(wizard);
  await completions(wizard);
  const used = context.profiles.list().find(({ usual }) => usual)?.name;
  const message = `Use the profile "${profile}" from now on, in place of "${used}"?`;
  if (used !== undefined && used !== profile && (await ask.confirm({ message, initial: true }))) {
    await context.profiles.use(profile);
  }
}

function answerOf({ context: { profiles }, profile }: Wizard): { readonly data: unknown } {
  const found = profiles.list().find(({ name }) => name === profile);
  if (found === undefined) return { data: null };
  const { baseUrl, inferenceBaseUrl, sandbox, ...settings } = found.settings;
  return { data: { ...shown(found), settings, savedIn: profiles.path } };
}

function next({ settings, profile, context }: Wizard): readonly string[] {
  const usual = context.profiles.list().find(({ name }) => name === profile)?.usual;
  const more = usual ? "" : ` --profile ${profile}`;
  const lines =
    settings().sandbox === "true"
      ? ["gpuctl rentals create vm --gpus 1", 'gpuctl image "a lighthouse at dusk"', 'gpuctl chat "Hello"']
      : ["gpuctl auth status", "gpuctl rentals list", "gpuctl image price"];
  return ["All is set. To go on:", ...lines.map((line) => `  ${line}${more}`)];
}
