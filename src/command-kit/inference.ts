import { pricedPicture } from "../contract/image-models.ts";
import { BudgetExceeded, UsageError } from "../core/errors.ts";
import { dollarText, inProportion, type Money, parseMoney } from "../core/values/money.ts";
import type { Context } from "./context.ts";
import { type FlagValues, flag } from "./flag.ts";

/** The flags that say where to save a picture or a recording. */
export const outFlags = (thing: string) => ({
  out: flag.text(
    `Where to save the ${thing}: a file, a folder, a template such as {date}-{slug}.{ext}, or - for stdout`,
    { value: "PATH" },
  ),
  force: flag.boolean("Replace an existing file"),
});

/** The options of `outputTarget` in src/media. Throws `UsageError` when stdout cannot take the bytes. */
export function outputOptions(
  { out, force }: FlagValues<ReturnType<typeof outFlags>>,
  { files, settings, say }: Pick<Context, "files" | "settings" | "say">,
) {
  const { output, dryRun } = settings;
  if (out === "-" && output !== "table") {
    throw new UsageError(`--out - and --output ${output} both write to stdout: use only one of them`);
  }
  if (out === "-" && files.stdoutIsTerminal) {
    throw new UsageError(
      "stdout is a terminal, and --out - would write bytes to it: name a file or use a pipe",
    );
  }
  return { out, force, dryRun, resolve: files.resolve, temporaryFolder: files.temporary, say };
}

/** The model for pictures if neither a flag nor the profile names a model. */
export const defaultPictureModel = "SDXL1.0-base";

/** The documented price of one picture; undefined unless its size and steps are positive numbers. */
export function picturePrice({ width, height, steps }: Picture): Money | undefined {
  if (![width, height, steps].every((factor) => Number.isFinite(factor) && factor > 0)) return undefined;
  const { dollars, ...base } = pricedPicture;
  const price = parseMoney(dollars, "the documented price");
  return inProportion(price, [width, height, steps], [base.width, base.height, base.steps]);
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly steps: number;
}

/** Throws `BudgetExceeded` if the cost is unknown or greater than the limit. Does nothing without a limit. */
export function assertWithinCost(cost: Money | undefined, limit: Money | undefined): void {
  if (limit === undefined) return;
  if (cost === undefined) {
    throw new BudgetExceeded(
      `the price is unknown, because the size or the number of steps is not a positive number; the limit is ${dollarText(limit)}`,
    );
  }
  if (cost <= limit) return;
  throw new BudgetExceeded(`this would cost ${dollarText(cost)}; the limit is ${dollarText(limit)}`);
}

/** The limit that the profile sets for the cost of a call. Throws `UsageError` if it is not an amount. */
export function budgetOf({ profileValues, profile }: Context["settings"]): Money | undefined {
  const text = profileValues["budget.maxCost"];
  return text === undefined ? undefined : parseMoney(text, `budget.maxCost of profile "${profile}"`);
}

/**
 * If the profile limits the cost, warns that the limit is not checked, except in a dry run. `of` completes "the price",
 * as in "of a chat".
 */
export function warnOfUnknownPrice(of: string, { settings, say }: Pick<Context, "settings" | "say">): void {
  if (budgetOf(settings) === undefined || settings.dryRun) return;
  say(
    `Warning: budget.maxCost is set, but the price ${of} is not known in advance, so the limit is not checked.`,
  );
}
