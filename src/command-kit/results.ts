import type { Result } from "../core/result.ts";
import type { CommandSettings } from "./context.ts";

/**
 * A text as it is, or a record when the command line itself asks for a format. A format set elsewhere does not count,
 * so that a shell that sources the text keeps working.
 */
export const textResult = (
  text: string,
  record: object,
  { formatTyped }: Pick<CommandSettings, "formatTyped">,
): Result => (formatTyped ? { data: record } : { text: whole(text) });

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}

/** What a command that sends nothing to the service says in a dry run instead of doing its work. */
export const nothingDone = "Nothing was done: this is a dry run.";
