import { reasonOf } from "../../../core/errors.ts";
import { keyVariable } from "../../../core/runtime/key-variable.ts";
import { ServiceError } from "../../../core/service-errors.ts";
import { isLoopback, proxyVariable } from "../../../core/urls.ts";
import { duration } from "../../../core/values/durations.ts";
import { describedOperations } from "../../../openapi/described.ts";
import { isDescription } from "../../../openapi/document.ts";
import { type Check, type CheckInput, type Finding, failure, ok, warning } from "../finding.ts";

/**
 * Makes a check of the configured service. The check is skipped in the sandbox, in a dry run, and without a base URL.
 * If the check throws, `onError` makes the result from the error. By default, the result is a failure.
 */
const remote =
  (
    check: (input: CheckInput, baseUrl: string) => Promise<Finding>,
    onError: (reason: string) => Finding = unreachable,
  ): Check =>
  async (input) => {
    const { sandbox, dryRun, baseUrl } = input.settings;
    if (sandbox) return ok("not needed in the sandbox");
    if (dryRun) return ok("skipped: this is a dry run");
    if (baseUrl === undefined) return ok("skipped: no base URL");
    try {
      return await check(input, baseUrl);
    } catch (error) {
      return onError(reasonOf(error));
    }
  };

const unreachable = (reason: string): Finding =>
  failure(reason, "Check the base URL, the network and the proxy; --debug shows more.");
const laterAdvice = "Try again when the service responds.";

export const baseUrl: Check = ({ settings }) => {
  const { sandbox, baseUrl: base, inferenceBaseUrl } = settings;
  if (sandbox) return ok("the sandbox");
  if (base === undefined) {
    return failure(
      "no base URL is set",
      "Run `gpuctl setup` to set one, or use --sandbox, which needs no account.",
    );
  }
  const inference =
    inferenceBaseUrl === undefined ? "" : `, inference at ${withoutCredentials(inferenceBaseUrl)}`;
  return ok(`${withoutCredentials(base)}${inference}`);
};

function withoutCredentials(text: string): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  return url.href;
}

/** Shows which proxy applies. Names only the variable, because its value may contain a password. */
export const proxy = remote(async ({ env, proxyFor }, base) => {
  const url = new URL(base);
  const name = proxyVariable(url.protocol, env);
  if ((await proxyFor(base)) !== undefined) return ok(`${name} applies to ${url.host}`);
  return ok(name === undefined ? "none" : `none: ${name} does not apply to ${url.host}`);
});

/** Warns about a certificate that expires within this many milliseconds. */
const expiryWarningPeriod = 14 * 86_400_000;

/** Checks that the connection is encrypted and the certificate is trusted. */
export const tls: Check = async (input) => {
  const extra = input.env.NODE_EXTRA_CA_CERTS;
  if (extra && (await input.readText(extra)) === undefined) {
    return failure(
      `NODE_EXTRA_CA_CERTS names ${extra}, which cannot be read`,
      "Set NODE_EXTRA_CA_CERTS to a readable file of certificates, or unset it.",
    );
  }
  return encryption(input);
};

const encryption = remote(async ({ host, now }, base) => {
  const { protocol, hostname } = new URL(base);
  if (protocol === "http:") {
    return isLoopback(hostname)
      ? ok("plain http, on this machine only")
      : failure(
          "plain http: anyone on the network can read the key",
          "Use a base URL that starts with https.",
        );
  }
  const { certificate } = await host();
  if (certificate === undefined) {
    return warning("no certificate was presented", "Check the base URL and the proxy.");
  }
  const { issuer, validTo, problem } = certificate;
  const until = `issued by ${issuer}, valid until ${new Date(validTo).toISOString().slice(0, 10)}`;
  if (problem !== undefined) {
    return failure(
      `the certificate is not trusted (${problem}); ${until}`,
      "Set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority that issued the service's certificate.",
    );
  }
  return validTo - now() < expiryWarningPeriod
    ? warning(`${until}: it expires soon`, "Ask the operator of the service to renew the certificate.")
    : ok(until);
});

/**
 * The largest clock difference for the status ok, and the largest for a warning, in milliseconds. The `Date` header is
 * exact only to a second.
 */
const maxSkew = { ok: 30_000, warning: 300_000 };

/** Compares the clock of this machine with the service's `Date` header. */
export const clock = remote(
  async ({ host, now }) => {
    const { date = "", isSandbox } = await host();
    if (isSandbox) return ok("not compared: the clock of a sandbox can be moved");
    const skew = now() - Date.parse(date);
    if (Number.isNaN(skew)) return ok("not compared: the service sends no date");
    const difference = `${duration(Math.abs(skew))} ${skew > 0 ? "ahead of" : "behind"} the service`;
    const advice = "Set the clock, preferably with a time service (NTP).";
    if (Math.abs(skew) > maxSkew.warning) return failure(difference, advice);
    return Math.abs(skew) > maxSkew.ok ? warning(difference, advice) : ok("agrees with the service");
  },
  (reason) => warning(`could not be compared: ${reason}`, laterAdvice),
);

/** Checks that the service serves an OpenAPI description, and counts its operations. */
export const description = remote(async ({ read }) => {
  const document: unknown = await read("getOpenApiDocument", {});
  if (!isDescription(document)) {
    return failure(
      "the response is not an OpenAPI description",
      "Check the base URL: it may belong to another service.",
    );
  }
  const count = describedOperations(document).length;
  return ok(`${count} operation${count === 1 ? "" : "s"}`);
});

/** Checks that there is a key, and that the service accepts it. */
export const key: Check = (input) => {
  const { credential, sandbox } = input.settings;
  if (!sandbox && credential === undefined) {
    return failure("no API key", "Run `gpuctl auth login` to store one, or set GPUCTL_API_KEY.");
  }
  return acceptance(input);
};

const acceptance = remote(async ({ settings, read }) => {
  const { lastFour, source } = settings.credential ?? {};
  const named = `…${lastFour} from ${source}`;
  try {
    await read("getActiveRentalSummary", {});
    return ok(`${named}, accepted`);
  } catch (error) {
    const status = error instanceof ServiceError ? error.status : undefined;
    const reason = reasonOf(error);
    if (status === 401) {
      const advice =
        source === keyVariable
          ? `Set ${keyVariable} to another key, or unset it.`
          : "Run `gpuctl auth login` to replace the key in the profile.";
      return failure(`${named} is not accepted: ${reason}`, advice);
    }
    if (status === 403) {
      return warning(
        `${named} does not have permission: ${reason}`,
        "Some commands need a key with more permissions.",
      );
    }
    if (error instanceof Error && /^(KeyCommandFailed|KeyBelongsElsewhere)$/.test(error.name)) {
      const hint =
        "hint" in error ? String(error.hint) : "`gpuctl config get apiKeyCommand` shows the command.";
      return failure(reason, hint);
    }
    return warning(`${named} could not be checked: ${reason}`, laterAdvice);
  }
});
