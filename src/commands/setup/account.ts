import { isRecord } from "../../command-kit/responses.ts";
import type { Credential, ProfileChange, ProfileValues } from "../../config/types.ts";
import { ServiceError } from "../../core/service-errors.ts";
import { originOf, urlProblem } from "../../core/urls.ts";
import { notTheService, plainHttp, troubleOf } from "./trouble.ts";
import { isAccepted, type SetupContext, type Trouble, type Wizard } from "./wizard.ts";

/** Asks for the hosts of an account and for its key, checks each, and saves them. */
export async function askAccount(wizard: Wizard): Promise<void> {
  const { context, profile, settings, save } = wizard;
  const before = settings();
  const savedKey = context.profiles.list().find(({ name }) => name === profile)?.key;
  const baseUrl = await askUrl("Base URL", before.baseUrl, (url) => baseTrouble(url, wizard), wizard);
  // A key belongs to its host, so a new host and its key are saved together.
  const moves = savedKey !== undefined && originOf(before.baseUrl) !== originOf(baseUrl);
  const base: ProfileValues = { sandbox: undefined, baseUrl };
  if (!moves) await save("base URL", { settings: base });
  const savedInference = before.baseUrl === baseUrl ? before.inferenceBaseUrl : undefined;
  const inference = await askUrl(
    "Inference URL",
    savedInference ?? baseUrl,
    (url) => inferenceTrouble(url, baseUrl, wizard),
    wizard,
  );
  const hosts: ProfileValues = { inferenceBaseUrl: inference === baseUrl ? undefined : inference };
  if (!moves) await save("inference URL", { settings: hosts });
  const key = await askKey(baseUrl, moves ? undefined : savedKey, wizard);
  const rest = moves ? { ...base, ...hosts } : {};
  if (key) await save("key", { ...key, settings: { ...rest, ...key.settings } });
}

async function askUrl(
  message: string,
  suggested: string | undefined,
  check: (url: string) => Promise<Trouble>,
  wizard: Wizard,
): Promise<string> {
  let initial = suggested;
  for (;;) {
    const url = await wizard.ask.text({ message, initial, validate });
    if (await isAccepted(() => check(url), wizard)) return url;
    initial = url;
  }
}

const validate = (text: string): string | undefined => {
  const problem = urlProblem(text);
  return problem && `It must be ${problem}`;
};

const fetchDescription = (url: string, { callAt, progress }: SetupContext): Promise<unknown> =>
  progress(`Connecting to ${new URL(url).host}`, () =>
    callAt({ baseUrl: url })("getOpenApiDocument", {}, { retries: 0 }),
  );

/** A base URL must serve the description. */
async function baseTrouble(url: string, { context }: Wizard): Promise<Trouble> {
  const insecure = plainHttp(url);
  if (insecure) return insecure;
  try {
    const description = await fetchDescription(url, context);
    const isOne = isRecord(description) && (isRecord(description.paths) || "openapi" in description);
    return isOne ? undefined : notTheService(`${new URL(url).host} returned no description`);
  } catch (error) {
    return troubleOf(error, url, context.environment);
  }
}

/** An inference URL has nothing to call for free, so any response will do. */
async function inferenceTrouble(url: string, baseUrl: string, { context }: Wizard): Promise<Trouble> {
  if (url === baseUrl) return undefined;
  const insecure = plainHttp(url);
  if (insecure) return insecure;
  try {
    await fetchDescription(url, context);
    return undefined;
  } catch (error) {
    const responded = error instanceof Error && "status" in error;
    return responded ? undefined : troubleOf(error, url, context.environment);
  }
}

/** A key that the user gave, and how to read it for the check. */
interface KeyAnswer {
  readonly read: () => Promise<string | undefined>;
  /** Undefined for the key that is stored already. */
  readonly change: ProfileChange | undefined;
}

/** Asks for the key, or for a command that prints it, until the service accepts it or the user insists. */
async function askKey(
  baseUrl: string,
  saved: Credential | undefined,
  wizard: Wizard,
): Promise<ProfileChange | undefined> {
  for (;;) {
    const { read, change } = await askKeyOnce(saved, wizard);
    if (await isAccepted(() => keyTrouble(read, baseUrl, wizard), wizard)) return change;
  }
}

async function askKeyOnce(
  saved: Credential | undefined,
  { ask, context: { secrets }, profile }: Wizard,
): Promise<KeyAnswer> {
  const ending = saved?.lastFour ? `, …${saved.lastFour}` : "";
  const how = await ask.choose({
    message: "API key",
    choices: [...(saved ? ["kept"] : []), "typed", "printed"],
    labels: {
      kept: `Use the stored key (${saved?.source}${ending})`,
      typed: "Type or paste a key (hidden)",
      printed: "Run a command that prints the key (pass, op, vault, ...)",
    },
  });
  if (how === "kept") return { read: () => secrets.profileKey(profile), change: undefined };
  if (how === "typed") {
    const apiKey = await secrets.readKey({ fromStdin: false });
    return { read: async () => apiKey, change: { apiKey } };
  }
  const command = await ask.text({
    message: "Command line that prints the key",
    validate: (text) => (text.trim() === "" ? "It must not be empty" : undefined),
  });
  return { read: () => secrets.keyFrom(command), change: { settings: { apiKeyCommand: command } } };
}

/** Tries the key with a read that costs nothing. */
async function keyTrouble(
  read: () => Promise<string | undefined>,
  baseUrl: string,
  { context }: Wizard,
): Promise<Trouble> {
  try {
    const call = context.callAt({ baseUrl, apiKey: await read() });
    await context.progress("Checking the key", () => call("getActiveRentalSummary", {}, { retries: 0 }));
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return "The service does not accept this key.";
    if (error instanceof ServiceError && error.status === 403) {
      return "The service accepts this key, but the key may not see rentals (403).";
    }
    if (error instanceof Error && /^(KeyCommandFailed|NoCredential)$/.test(error.name)) {
      return `${error.message}.`;
    }
    return troubleOf(error, baseUrl, context.environment);
  }
}
