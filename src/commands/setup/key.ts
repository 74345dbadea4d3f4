import { ServiceError } from "../../client/errors.ts";
import type { Credential, ProfileChange } from "../../context/context.ts";
import { passes, type Trouble } from "./check.ts";
import { troubleOf } from "./trouble.ts";
import type { Wizard } from "./wizard.ts";

/** A key that was answered, and how to get at it for a check. */
interface Answer {
  readonly key: () => Promise<string | undefined>;
  /** Nothing for the key that is kept already. */
  readonly change: ProfileChange | undefined;
}

/** Asks for the key, or for a program that prints it, until the service accepts it or the user wants it anyway. */
export async function askKey(
  baseUrl: string,
  kept: Credential | undefined,
  wizard: Wizard,
): Promise<ProfileChange | undefined> {
  for (;;) {
    const { key, change } = await answer(kept, wizard);
    if (await passes(() => refusal(key, baseUrl, wizard), wizard)) return change;
  }
}

async function answer(
  kept: Credential | undefined,
  { ask, context: { secrets }, profile }: Wizard,
): Promise<Answer> {
  const ending = kept?.lastFour ? `, …${kept.lastFour}` : "";
  const how = await ask.choose({
    message: "API key",
    choices: [...(kept ? ["kept"] : []), "typed", "printed"],
    labels: {
      kept: `The one that is kept (${kept?.source}${ending})`,
      typed: "Type or paste it, unseen",
      printed: "A program prints it: pass, op, vault...",
    },
  });
  if (how === "kept") return { key: () => secrets.keptKey(profile), change: undefined };
  if (how === "typed") {
    const apiKey = await secrets.readKey({ fromStdin: false });
    return { key: async () => apiKey, change: { apiKey } };
  }
  const command = await ask.text({
    message: "Command line that prints the key",
    validate: (text) => (text.trim() === "" ? "An answer is needed" : undefined),
  });
  return { key: () => secrets.keyFrom(command), change: { settings: { apiKeyCommand: command } } };
}

/** Why a key will not do: the service is asked something that costs nothing. */
async function refusal(
  key: () => Promise<string | undefined>,
  baseUrl: string,
  { context }: Wizard,
): Promise<Trouble> {
  try {
    const call = context.callAt({ baseUrl, apiKey: await key() });
    await context.progress("Trying the key", () => call("getActiveRentalSummary", {}, { retries: 0 }));
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return "The service does not accept this key.";
    if (error instanceof ServiceError && error.status === 403) {
      return "The service knows this key, but it may not see rentals (403).";
    }
    if (error instanceof Error && /^(KeyCommandFailed|NoCredential)$/.test(error.name)) {
      return `${error.message}.`;
    }
    return troubleOf(error, baseUrl, context.environment);
  }
}
