import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { BudgetExceeded, saveFailed } from "../core/errors.ts";
import { makeFolderSync } from "../core/files.ts";
import type { Redactor } from "../core/redact.ts";
import { dollarNumber, dollarText, type Money } from "../core/values/money.ts";

/** Limits what all calls of a server together may cost. */
export class Budget {
  readonly #limit: Money;
  #spent: Money = 0n;

  constructor(limit: Money) {
    this.#limit = limit;
  }

  /**
   * Counts a cost before it is incurred, so that calls at the same time share the limit. Returns a function that takes
   * the cost back, to be called if nothing was charged. Throws `BudgetExceeded`.
   */
  reserve(cost: Money): () => void {
    if (this.#spent + cost > this.#limit) {
      throw new BudgetExceeded(
        `this would cost ${dollarText(cost)}; ${dollarText(this.#spent)} of the limit of ${dollarText(this.#limit)} is spent`,
      );
    }
    this.#spent += cost;
    let isReserved = true;
    return () => {
      if (isReserved) this.#spent -= cost;
      isReserved = false;
    };
  }

  /** In dollars. */
  state(): { readonly spentDollars: number; readonly limitDollars: number } {
    return { spentDollars: dollarNumber(this.#spent), limitDollars: dollarNumber(this.#limit) };
  }
}

/** A line of the spending log. */
export interface LogEntry {
  /** The number of the call since the server started. Reads are not counted. */
  readonly call: number;
  readonly tool: string;
  readonly event: "started" | "done" | "failed" | "unknown";
  /** The one-time cost of the call; null if it has none. */
  readonly dollars: number | null;
  /** What a new rental costs an hour, if the response says it. */
  readonly dollarsPerHour?: number;
  /** The ID of what was created. */
  readonly id?: string;
  readonly problem?: string;
}

interface LogOptions extends Pick<Redactor, "redact"> {
  /** The state folder. */
  readonly folder: string;
  readonly now: () => number;
  /** What every line names: this server, and the service that it uses. */
  readonly origin: object;
}

/** The name of the log, in the state folder. */
const logName = "mcp-spending.jsonl";

/**
 * Returns a function that adds a line to the spending log. The log has two lines for each call that is not a read: one
 * before anything is sent, and one at the end. A call that the server refuses, for example because of --max-cost, has
 * none. Keys are masked, because an error may quote a key, such as one in `apiKeyCommand`. The function throws
 * `SaveFailed`.
 */
export function spendingLog({ folder, now, origin, redact }: LogOptions): (entry: LogEntry) => Promise<void> {
  const path = join(folder, logName);
  return async (entry) => {
    const line = { time: new Date(now()).toISOString(), ...origin, ...entry };
    try {
      makeFolderSync(folder, 0o700);
      await appendFile(path, `${redact(JSON.stringify(line))}\n`, { mode: 0o600 });
    } catch (error) {
      throw saveFailed(path, error);
    }
  };
}
