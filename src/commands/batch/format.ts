import { reasonOf, UsageError } from "../../core/errors.ts";
import { ServiceError } from "../../core/service-errors.ts";
import { dollarText, type Money } from "../../core/values/money.ts";

/** A text such as `1 line` or `20 lines`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

/** What was spent. If more may have been charged, a range such as `$1.00 to $2.00`. */
export const costText = (spent: Money, uncertain: Money): string =>
  uncertain > 0n ? `${dollarText(spent)} to ${dollarText(spent + uncertain)}` : dollarText(spent);

/** Throws `UsageError` for `-`: stdout gets the summary, and a batch has a journal beside its output. */
export function assertNotStdout(out: string | undefined): void {
  if (out === "-") throw new UsageError("--out must be a file, not stdout");
}

/** Why a request got no result, such as `no such host (api.example.com)`. */
export const refusalText = (error: unknown): string =>
  `${reasonOf(error)}${error instanceof ServiceError ? ` (the service returned ${error.status})` : ""}`;
