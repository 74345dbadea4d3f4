import type { Context, KeptSettings } from "../../context/context.ts";
import { isRecord } from "../shared/records.ts";
import { originOf, urlProblem } from "../shared/urls.ts";
import { passes, type Trouble } from "./check.ts";
import { askKey } from "./key.ts";
import { notTheService, plainHttp, troubleOf } from "./trouble.ts";
import type { Wizard } from "./wizard.ts";

/** Asks where the account is and for its key, tries each, and keeps them. */
export async function account(wizard: Wizard): Promise<void> {
  const { context, profile, settings, keep } = wizard;
  const before = settings();
  const hadKey = context.profiles.list().find(({ name }) => name === profile)?.key;
  const baseUrl = await askUrl("Base URL", before.baseUrl, (url) => service(url, wizard), wizard);
  // A key does not move to another host, so hosts and key change together then.
  const moves = hadKey !== undefined && originOf(before.baseUrl) !== originOf(baseUrl);
  const base: KeptSettings = { sandbox: undefined, baseUrl };
  if (!moves) await keep("base URL", { settings: base });
  const same = before.baseUrl === baseUrl ? before.inferenceBaseUrl : undefined;
  const usual = same ?? baseUrl;
  const inference = await askUrl("Inference URL", usual, (url) => reachable(url, baseUrl, wizard), wizard);
  const hosts = { inferenceBaseUrl: inference === baseUrl ? undefined : inference };
  if (!moves) await keep("inference URL", { settings: hosts });
  const key = await askKey(baseUrl, moves ? undefined : hadKey, wizard);
  const rest = moves ? { ...base, ...hosts } : {};
  if (key) await keep("key", { ...key, settings: { ...rest, ...key.settings } });
}

async function askUrl(
  name: string,
  usual: string | undefined,
  check: (url: string) => Promise<Trouble>,
  wizard: Wizard,
): Promise<string> {
  let initial = usual;
  for (;;) {
    const url = await wizard.ask.text({ message: name, initial, validate });
    if (await passes(() => check(url), wizard)) return url;
    initial = url;
  }
}

const validate = (text: string): string | undefined => {
  const problem = urlProblem(text);
  return problem && `It must be ${problem}`;
};

const describe = (url: string, { callAt, progress }: Context): Promise<unknown> =>
  progress(`Asking ${new URL(url).host}`, () =>
    callAt({ baseUrl: url })("getOpenApiDocument", {}, { retries: 0 }),
  );

/** What is wrong with a base URL: it must serve the description. */
async function service(url: string, { context }: Wizard): Promise<Trouble> {
  const clear = plainHttp(url);
  if (clear) return clear;
  try {
    const description: unknown = await describe(url, context);
    const isOne = isRecord(description) && (isRecord(description.paths) || "openapi" in description);
    return isOne ? undefined : notTheService(`${new URL(url).host} answered with no description`);
  } catch (error) {
    return troubleOf(error, url, context.environment);
  }
}

/** What is wrong with an inference URL: it has nothing to ask for free, so that anybody answers is all. */
async function reachable(url: string, baseUrl: string, { context }: Wizard): Promise<Trouble> {
  if (url === baseUrl) return undefined;
  const clear = plainHttp(url);
  if (clear) return clear;
  try {
    await describe(url, context);
    return undefined;
  } catch (error) {
    const answered = error instanceof Error && "status" in error;
    return answered ? undefined : troubleOf(error, url, context.environment);
  }
}
