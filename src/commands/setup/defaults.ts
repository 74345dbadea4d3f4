import { type ConfigKeyName, choicesOf, configKey } from "../config/keys.ts";
import type { Wizard } from "./wizard.ts";

const asked = [
  "rentals.region",
  "rentals.gpuType",
  "image.model",
  "chat.model",
] as const satisfies readonly ConfigKeyName[];

/** What stands for no default. */
const none = "-";

/** Asks for the defaults that most people want, each of which may stay open. */
export async function defaults({ ask, context, keep, settings }: Wizard): Promise<void> {
  for (const name of asked) {
    const key = configKey(name);
    if (!key) continue;
    const choices = choicesOf(key);
    const now = settings()[name];
    const answer = choices
      ? await ask.choose({
          message: `${key.text} when none is given`,
          choices: [none, ...choices],
          labels: { [none]: "No default" },
          initial: now ?? none,
        })
      : await ask.text({ message: `${key.text} when none is given, - for no default`, initial: now ?? none });
    const value = answer.trim() === none || answer.trim() === "" ? undefined : answer.trim();
    if (value !== now) await keep(key.text.toLowerCase(), { settings: { [name]: value } });
  }
  context.say("`gpuctl config list` shows all that can have a default.");
}
