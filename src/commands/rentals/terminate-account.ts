import { UnknownOutcome } from "../../client/errors.ts";
import type { Context } from "../../context/context.ts";

/** What became of each of several rentals. */
export interface Account {
  readonly ended: (id: string) => void;
  readonly failed: (id: string, error: unknown) => void;
  /** The failure that weighs most, an unknown outcome before all; nothing when none failed. */
  readonly worst: () => unknown;
}

/** Keeps the account of rentals that are ended one after the other: whatever fails tells all of it. */
export function account(
  rentals: readonly { readonly id: string }[],
  { ifItFails }: Pick<Context, "ifItFails">,
): Account {
  const ended: string[] = [];
  const failures: { readonly id: string; readonly error: unknown }[] = [];
  const worst = () => failures.find(({ error }) => error instanceof UnknownOutcome) ?? failures[0];
  const tell = () => {
    const failed = failures.map(({ id, error }) => {
      // What the look showed of the worst one is told beside the error itself.
      const finding =
        error instanceof UnknownOutcome && error !== worst()?.error ? ` ${error.finding ?? ""}` : "";
      return `${id} (${error instanceof Error ? error.message : error})${finding}`;
    });
    const settled = new Set([...ended, ...failures.map(({ id }) => id)]);
    const left = rentals.map(({ id }) => id).filter((id) => !settled.has(id));
    const parts = [
      `Ended: ${ended.join(", ") || "none"}.`,
      failed.length > 0 && `Failed: ${failed.join(", ")}.`,
      left.length > 0 && `Not tried: ${left.join(", ")}.`,
    ];
    if (rentals.length > 1 || ended.length > 0) ifItFails(parts.filter(Boolean).join(" "));
  };
  return {
    ended: (id) => {
      ended.push(id);
      tell();
    },
    failed: (id, error) => {
      failures.push({ id, error });
      tell();
    },
    worst: () => worst()?.error,
  };
}
