import type { TopicPart } from "../../core/topics.ts";
import { globals } from "../generated/tree.ts";
import { helpFor } from "./help.ts";
import { drawRows, type HelpStyle, paragraph, titled } from "./layout.ts";

/** Help for gpuctl itself, a group of commands, a command or a topic; undefined for any other words. */
export async function helpOrTopic(words: readonly string[], style: HelpStyle): Promise<string | undefined> {
  const help = helpFor(words, style);
  if (help !== undefined || words.length !== 1) return help;
  const { topicsOf } = await import("../../docs/topics.ts");
  const topic = topicsOf(globals).find(({ name }) => name === words[0]);
  if (!topic) return undefined;
  const sections = topic.sections.map(({ heading, parts }) => {
    const lines = parts.map((part) => partText(part, style)).join("\n\n");
    return titled(heading, [lines], style).join("\n");
  });
  return `${[`${topic.summary}.`, ...sections].join("\n\n")}\n`;
}

function partText(part: TopicPart, style: HelpStyle): string {
  if (typeof part === "string") {
    return paragraph(part, { ...style, width: style.width - 2 }).replace(/^/gm, "  ");
  }
  const lines = "terms" in part ? drawRows(part.terms, style) : part.code.map((line) => `    ${line}`);
  return lines.map((line) => line.trimEnd()).join("\n");
}
