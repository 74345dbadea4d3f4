import { checkKey, keyStateText } from "../../client/probe/key-check.ts";
import type { VisibleEnvironment } from "../../command-kit/context.ts";
import type { Credential, ProfileChange } from "../../config/types.ts";
import { InsecureUrl, InvalidResponse, NetworkError, ServiceError } from "../../core/service-errors.ts";
import { isLoopback, isSameUrl, originOf, proxyVariable, urlProblem } from "../../core/urls.ts";
import { describedOperations } from "../../openapi/described.ts";
import { isDescription } from "../../openapi/document.ts";
import { isAccepted, type Problem, type Wizard } from "./wizard.ts";

/** Asks for the hosts of an account and for its key, checks each, and saves them. */
export async function askAccount(wizard: Wizard): Promise<void> {
  const { stored, save } = wizard;
  const { settings: before, key: storedKey } = stored() ?? {};
  const baseUrl = await askUrl("Base URL", before?.baseUrl, (url) => checkUrl(url, wizard), wizard);
  // A stored key belongs to its host. If the host changes, the new host is saved only together with its key.
  const hostChanges = storedKey !== undefined && originOf(before?.baseUrl) !== originOf(baseUrl);
  const base = { sandbox: undefined, baseUrl };
  if (!hostChanges) await save("base URL", { settings: base });
  const storedInference = isSameUrl(before?.baseUrl, baseUrl) ? before?.inferenceBaseUrl : undefined;
  // Every documented operation of the inference API is charged. So the check requests the OpenAPI description, which
  // this host need not serve, and accepts any response.
  const check = async (url: string) =>
    url === baseUrl ? undefined : checkUrl(url, wizard, { anyResponse: true });
  const inference = await askUrl("Inference URL", storedInference ?? baseUrl, check, wizard);
  const hosts = { ...base, inferenceBaseUrl: inference === baseUrl ? undefined : inference };
  if (!hostChanges) await save("inference URL", { settings: hosts });
  const key = await askKey(baseUrl, hostChanges ? undefined : storedKey, wizard);
  if (key) await save("key", { ...key, settings: { ...hosts, ...key.settings } });
}

async function askUrl(
  message: string,
  suggested: string | undefined,
  check: (url: string) => Promise<Problem>,
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

/** Checks that the service serves its OpenAPI description at a URL; with `anyResponse`, any response is enough. */
async function checkUrl(
  url: string,
  { ask, context: { callAt, environment, progress } }: Wizard,
  { anyResponse = false } = {},
): Promise<Problem> {
  const insecure = plainHttpProblem(url);
  if (insecure) return insecure;
  const { host } = new URL(url);
  try {
    const call = callAt({ baseUrl: url });
    const description: unknown = await progress(`Connecting to ${host}`, () =>
      call("getOpenApiDocument", {}, { retries: 0 }),
    );
    if (anyResponse) return undefined;
    if (isDescription(description)) {
      const count = describedOperations(description).length;
      ask.report("success", `${host} serves the API, with ${count} operations.`);
      return undefined;
    }
    return notTheService(`${host} did not return an OpenAPI description`);
  } catch (error) {
    if (anyResponse && error instanceof Error && "status" in error) return undefined;
    return problemOf(error, url, environment);
  }
}

/** Asks for the key, or for a command that prints it, until the service accepts the key or the user saves it anyway. */
async function askKey(
  baseUrl: string,
  saved: Credential | undefined,
  wizard: Wizard,
): Promise<ProfileChange | undefined> {
  for (;;) {
    const { read, change } = await askKeyOnce(saved, wizard);
    if (await isAccepted(() => checkTypedKey(read, baseUrl, wizard), wizard)) return change;
  }
}

/**
 * Asks for the key, or for a command that prints it. Returns a function that reads the key, and the change that saves
 * the answer in the profile. The change is undefined if the stored key is kept.
 */
async function askKeyOnce(saved: Credential | undefined, { ask, context: { secrets }, profile }: Wizard) {
  const ending = saved?.lastFour ? `, …${saved.lastFour}` : "";
  const how = await ask.choose({
    message: "API key source",
    hidesTyped: true,
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

/** Checks that the service accepts a key, and reports what the key may do. */
async function checkTypedKey(
  read: () => Promise<string | undefined>,
  baseUrl: string,
  { ask, context }: Wizard,
): Promise<Problem> {
  try {
    const apiKey = (await read()) ?? "";
    const endpoint = { baseUrl, apiKey };
    const service = { call: context.callAt(endpoint), request: context.requestAt(endpoint) };
    const state = await context.progress("Checking the key", () => checkKey(apiKey, service));
    if (state === "rejected" || state === "not allowed") return keyStateText[state];
    ask.report("success", keyStateText[state]);
    return undefined;
  } catch (error) {
    if (error instanceof Error && /^(KeyCommandFailed|NoCredential)$/.test(error.name)) {
      return `${error.message}.`;
    }
    return problemOf(error, baseUrl, context.environment);
  }
}

const certificates =
  "If your own certificate authority (CA) issued the certificate, set NODE_EXTRA_CA_CERTS to a file with the certificate of the CA.";

const advice: Readonly<Record<string, string>> = {
  ENOTFOUND: "Is the URL right?",
  EAI_AGAIN: "Is the URL right, and is the network up?",
  ECONNREFUSED: "Are the host and the port right?",
  EPROXY: "Is the URL of the proxy right, and does it allow this host?",
  DEPTH_ZERO_SELF_SIGNED_CERT: certificates,
  SELF_SIGNED_CERT_IN_CHAIN: certificates,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificates,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificates,
};

/**
 * Describes why the check of a URL or of a key failed. Rethrows an error that does not come from the URL, the network
 * or the service.
 */
function problemOf(error: unknown, url: string, environment: VisibleEnvironment): string {
  const { host, hostname } = new URL(url);
  if (error instanceof NetworkError) {
    const proxy = isLoopback(hostname) ? undefined : proxyVariable(new URL(url).protocol, environment);
    const through = proxy && `Requests go through the proxy in ${proxy}; set NO_PROXY=${host} to bypass it.`;
    return [`${host} cannot be reached: ${error.message}.`, advice[error.code], through]
      .filter(Boolean)
      .join(" ");
  }
  if (error instanceof InvalidResponse) return notTheService(`${host} did not return JSON`);
  if (error instanceof ServiceError) {
    const returned = `${host} returned ${error.status}`;
    return error.status === 404 ? notTheService(returned) : `${returned}: ${error.message}.`;
  }
  if (error instanceof InsecureUrl) return plainHttpProblem(url) ?? error.message;
  throw error;
}

const notTheService = (what: string): string =>
  `${what}, so this is not the service, or the path of the URL is wrong.`;

/** Returns why a URL that uses plain http is not safe for a key; undefined for a safe URL. */
function plainHttpProblem(url: string): string | undefined {
  const { protocol, hostname, host } = new URL(url);
  if (protocol !== "http:" || isLoopback(hostname)) return undefined;
  return `${host} uses plain http: gpuctl sends the key there only with --insecure-http, and anyone on the network can read it.`;
}
