import type { CommandSettings } from "../../context/context.ts";
import type { Answer } from "../../output/answer.ts";

/**
 * A text just as it is; as a field of a record where the command line itself asks for a format. A format that is set
 * elsewhere changes nothing, so that a shell that sources the text goes on to do so.
 */
export const textAnswer = (
  text: string,
  record: object,
  { formatTyped }: Pick<CommandSettings, "formatTyped">,
): Answer => (formatTyped ? { data: record } : { text: whole(text) });

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}
