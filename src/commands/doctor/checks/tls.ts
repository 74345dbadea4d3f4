import { isLoopback } from "../../../client/request.ts";
import { reasonOf } from "../../errors.ts";
import { type Check, failure, ok, remote, warning } from "../finding.ts";

/** A certificate that ends within so many milliseconds is worth a word. */
const soon = 14 * 86_400_000;

/** The way to the service is encrypted, and the other end is who it says it is. */
export const tls: Check = async (examined) => {
  const extra = examined.env.NODE_EXTRA_CA_CERTS;
  if (extra && (await examined.readText(extra)) === undefined) {
    return failure(
      `NODE_EXTRA_CA_CERTS names ${extra}, which cannot be read`,
      "Name a file of certificates that can be read, or unset it.",
    );
  }
  return encrypted(examined);
};

const encrypted = remote(async ({ host, now }, baseUrl) => {
  const url = new URL(baseUrl);
  if (url.protocol === "http:") {
    return isLoopback(url.hostname)
      ? ok("plain http, which stays on this machine")
      : failure("plain http: anybody on the way can read the key", "Use a base URL that begins with https.");
  }
  try {
    const { certificate } = await host();
    if (certificate === undefined)
      return warning("no certificate was shown", "Check the base URL and the proxy.");
    const { issuer, validTo, problem } = certificate;
    const until = `issued by ${issuer}, valid until ${new Date(validTo).toISOString().slice(0, 10)}`;
    if (problem !== undefined) {
      return failure(
        `the certificate is not trusted (${problem}); ${until}`,
        "NODE_EXTRA_CA_CERTS can name its authority.",
      );
    }
    return validTo - now() < soon
      ? warning(`${until}, which is soon`, "Tell who runs the service.")
      : ok(until);
  } catch (error) {
    return failure(reasonOf(error), "Check the base URL, the network and the proxy.");
  }
});
