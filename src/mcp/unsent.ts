import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Messages } from "../command-kit/context.ts";
import { reasonOf } from "../core/errors.ts";
import { asRecord } from "../core/json.ts";
import { stringifyExactly } from "../core/values/exact-numbers.ts";
import { keep } from "../media/keep.ts";
import { shownText } from "./data.ts";

interface UnsentOptions extends Pick<Messages, "log"> {
  readonly folder: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Saves the data of a result that the client did not get, if the result has a `cost`. If the call failed, saves the
 * part that was received. Reports the path of the file on stderr.
 */
export async function keepUnsent(
  message: JSONRPCMessage,
  { folder, now, log }: UnsentOptions,
): Promise<void> {
  const { ok, cost, data } = asRecord(asRecord(asRecord(message).result).structuredContent);
  const received = ok === true ? data : asRecord(data).partial;
  if (cost === undefined || (ok !== true && received == null)) return;
  const lost = "mcp: the client did not get the result of a call";
  try {
    const bytes = Buffer.from(stringifyExactly(received) ?? "null");
    const path = await keep(bytes, { folders: [folder], date: new Date(now()), thing: "result" });
    log(shownText(`${lost}. The result was saved to ${path}.`));
  } catch (error) {
    log(shownText(`${lost}, and it was not saved: ${reasonOf(error)}.`));
  }
}
