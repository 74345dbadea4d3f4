import { UsageError } from "../../core/errors.ts";
import { didYouMean } from "../../core/text.ts";
import { topics } from "../../core/topics.ts";
import type { Services } from "../start/services.ts";
import { helpFor, wordsAt } from "./help.ts";
import type { HelpLook } from "./look.ts";

/** Help for a command or a topic. Throws `UsageError` with a suggestion for any other words. */
export async function helpOn(
  words: readonly string[],
  { topic }: Pick<Services["documents"], "topic">,
  look: HelpLook,
): Promise<string> {
  const help = helpFor(words, look);
  if (help !== undefined) return help;
  const [name = ""] = words;
  const found = words.length === 1 ? await topic(name) : undefined;
  if (found) return (await import("./topic-text.ts")).topicText(found, look);
  const at = words.findIndex((_, index) => helpFor(words.slice(0, index + 1), look) === undefined);
  const known = at > 0 ? wordsAt(words.slice(0, at)) : [...wordsAt([]), ...topics.map((one) => one.name)];
  const wrong = words[at] ?? "";
  throw new UsageError(`no help for ${JSON.stringify(words.join(" "))}${didYouMean(wrong, known)}`, {
    hint: "`gpuctl help` lists the commands and topics.",
  });
}
