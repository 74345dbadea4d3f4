import { describedOperations } from "../../client/described.ts";
import type { RawCall } from "../../client/raw-call.ts";
import type { Context } from "../../context/context.ts";
import { jsonOf } from "../shared/json-of.ts";

/**
 * The service's catalogue of what can be rented, where its description lists one; nothing when there is none or it
 * cannot be had. Never throws.
 */
export async function rentalOptions(
  { describe, request }: Pick<Context, "describe" | "request">,
  options: Parameters<RawCall>[1],
): Promise<unknown> {
  try {
    const listed = describedOperations(await describe({ promptly: true })).find(
      ({ method, path, parameters }) =>
        method === "GET" && /\/rental-?options$/i.test(path) && !parameters.some(({ required }) => required),
    );
    if (listed === undefined) return undefined;
    return jsonOf(await request({ method: "GET", path: listed.path, host: "compute" }, options));
  } catch {
    return undefined;
  }
}
