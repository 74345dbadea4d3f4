import type { Result } from "../core/result.ts";
import type { CommandSettings } from "./context.ts";

/**
 * Prints a text, or a record when the command line sets a format. A format set in the environment or the profile is
 * ignored, so that shells that source the text keep working.
 */
export const textResult = (
  text: string,
  record: object,
  { formatFromCli }: Pick<CommandSettings, "formatFromCli">,
): Result => (formatFromCli ? { data: record } : { text: [text] });

/** Printed in a dry run by commands that send no request. */
export const nothingDone = "Nothing was done: this is a dry run.";
