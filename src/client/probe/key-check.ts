import { firstAt, isRecord, parseJson, recordsOf } from "../../core/json.ts";
import { ServiceError } from "../../core/service-errors.ts";
import { keyEnding } from "../../core/text.ts";
import { listingAt } from "../../openapi/described.ts";
import { isDescription } from "../../openapi/document.ts";
import type { Call, RawCall } from "../call.ts";

/** What is known about a key: whether the service accepts it, and what it may do. */
export type KeyState = "accepted" | "read-only" | "rejected" | "not allowed";

/** What a check of a key found, in a sentence. */
export const keyStateText: Readonly<Record<KeyState, string>> = {
  accepted: "The service accepts the key.",
  "read-only":
    "The service accepts the key, but it is read-only: it cannot create, change or terminate anything.",
  rejected: "The service does not accept the key.",
  "not allowed": "The service accepts the key, but the key may not list rentals (403). Use a key that may.",
};

/** A service, called with the key to check. */
interface Service {
  readonly call: Call;
  readonly request: RawCall;
}

/**
 * Checks a key with requests that cost and change nothing. If the service lists its API keys with their access, also
 * finds out whether the key is read-only. Throws any failure that is not about the key.
 */
export async function checkKey(key: string, { call, request }: Service): Promise<KeyState> {
  try {
    await call("getActiveRentalSummary", {}, { retries: 0 });
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return "rejected";
    if (error instanceof ServiceError && error.status === 403) return "not allowed";
    throw error;
  }
  const keys = await listedKeys({ call, request }).catch(() => undefined);
  const own = (keys ?? []).filter((one) => isRecord(one) && one.lastFour === keyEnding(key));
  const access = own.map((one) => String(firstAt(one, ["access", "permission", "scope", "role"])));
  return access.length > 0 && access.every((one) => /^read([-_ ]?only)?$/i.test(one))
    ? "read-only"
    : "accepted";
}

/** The API keys that the service lists, if its description has an operation for that. */
async function listedKeys({ call, request }: Service): Promise<readonly unknown[] | undefined> {
  const description: unknown = await call("getOpenApiDocument", {}, { retries: 0 });
  const listing = isDescription(description) ? listingAt(description, /\/api-?keys$/i) : undefined;
  if (listing === undefined) return undefined;
  const response = await request({ method: "GET", path: listing.path, host: "compute" }, { retries: 0 });
  return recordsOf(parseJson(response.text()));
}
