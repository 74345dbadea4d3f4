import { UsageError } from "../core/errors.ts";
import type { Result } from "../core/result.ts";
import type { CommandSettings } from "./context.ts";

/**
 * A result that prints a text, or a record if the command line has `--jq` or sets a format other than table. A format
 * set in the environment or the profile is ignored, so that shells that source the text keep working.
 */
export const textResult = (
  text: string,
  record: object,
  { formatFromCli }: Pick<CommandSettings, "formatFromCli">,
): Result => (formatFromCli ? { data: record } : { text: [text] });

/** Printed in a dry run by commands that send no request. */
export const nothingDone = "Nothing was done: this is a dry run.";

/**
 * For a flag that makes a command print several results: throws `UsageError` if the output format can print only one,
 * or if there is a `--jq` filter. `formats` are the formats that can print several.
 */
export function assertRepeatable(
  flag: string,
  formats: readonly string[],
  { output, jq }: Pick<CommandSettings, "output" | "jq">,
): void {
  if (jq !== undefined) {
    throw new UsageError(`${flag} and --jq cannot be used together: --jq can filter only a single result`);
  }
  if (!formats.includes(output)) {
    const usable = `${formats.slice(0, -1).join(", ")} or ${formats.at(-1)}`;
    throw new UsageError(`${flag} cannot be used with the output format ${output}: use --output ${usable}`);
  }
}
