import { Interrupted } from "../../core/errors.ts";
import { firstAt, isRecord, parseJson, recordsOf, scalarText } from "../../core/json.ts";
import { ServiceError } from "../../core/service-errors.ts";
import { keyEnding } from "../../core/text.ts";
import { listingAt } from "../../openapi/described.ts";
import { isDescription } from "../../openapi/document.ts";
import type { Call, RawCall } from "../call.ts";

/** What is known about a key: whether the service accepts it, and what it may do. */
export type KeyState = "accepted" | "read-only" | "rejected" | "not allowed";

/** The message for each result of a check of a key. */
export const keyStateText: Readonly<Record<KeyState, string>> = {
  accepted: "The service accepts the key.",
  "read-only":
    "The service accepts the key, but it is read-only: it cannot create, change or terminate anything.",
  rejected: "The service does not accept the key.",
  "not allowed":
    "The service accepts the key, but the key is not allowed to list rentals (403). Use a key with that permission.",
};

/** A service, called with the key to check. */
interface Service {
  readonly call: Call;
  readonly request: RawCall;
}

/**
 * Checks a key with requests that cost nothing and change nothing. Throws the failure if it is not known whether the
 * service accepts the key. If only the access of the key is not known, the key counts as `accepted`.
 */
export async function checkKey(key: string, service: Service): Promise<KeyState> {
  try {
    await service.call("getActiveRentalSummary", {}, { retries: 0 });
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return "rejected";
    // A 403 with an HTML page may come from a proxy instead of the service.
    if (error instanceof ServiceError && error.status === 403 && hasJson(error)) return "not allowed";
    throw error;
  }
  return (await canWrite(key, service)) === false ? "read-only" : "accepted";
}

/** Whether the body of a failed response is JSON. */
export const hasJson = ({ reply }: ServiceError): boolean => parseJson(reply?.text ?? "") !== undefined;

/**
 * Whether an accepted key may create and change things. Undefined if that is not known, for example because the service
 * does not list its API keys with their access.
 */
export async function canWrite(key: string, service: Service): Promise<boolean | undefined> {
  const keys = await listedKeys(service).catch((error: unknown) => {
    if (error instanceof Interrupted) throw error;
    return undefined;
  });
  const own = (keys ?? []).filter((one) => isRecord(one) && one.lastFour === keyEnding(key));
  const access = own.map((one) => accessOf(firstAt(one, ["access", "permission", "scope", "role"])));
  const readOnly = access.filter((one) => /^read([-_ ]?only)?$/i.test(one)).length;
  if (readOnly > 0 && readOnly === access.length) return false;
  return readOnly === 0 && access.some((one) => /write|full|admin/i.test(one)) ? true : undefined;
}

/** The access of a key as one text. Services send a string, or a list of strings such as `["read"]`. */
const accessOf = (access: unknown): string => [access].flat().map(scalarText).join(" ");

/** The API keys that the service lists, if its description has an operation for that. */
async function listedKeys({ call, request }: Service): Promise<readonly unknown[] | undefined> {
  const description: unknown = await call("getOpenApiDocument", {}, { retries: 0 });
  const listing = isDescription(description) ? listingAt(description, /\/api-?keys$/i) : undefined;
  if (listing === undefined) return undefined;
  const response = await request({ method: "GET", path: listing.path, host: "compute" }, { retries: 0 });
  return recordsOf(parseJson(response.text()));
}
