import type { Topic, TopicPart } from "../../core/topics.ts";
import { drawRows, paragraph, titled } from "./layout.ts";
import type { HelpLook } from "./look.ts";

/** A help topic as text. */
export const topicText = ({ summary, sections }: Topic, look: HelpLook): string =>
  [
    `${summary}.`,
    ...sections.map(({ heading, parts }) =>
      titled(
        heading,
        parts
          .map((part) => partText(part, look))
          .join("\n\n")
          .split("\n"),
        look,
      ).join("\n"),
    ),
    "",
  ]
    .join("\n\n")
    .replace(/\n+$/, "\n");

function partText(part: TopicPart, look: HelpLook): string {
  if (typeof part === "string") {
    return paragraph(part, { ...look, width: look.width - 2 }).replace(/^/gm, "  ");
  }
  if ("terms" in part)
    return drawRows(part.terms, look)
      .map((line) => line.trimEnd())
      .join("\n");
  return part.code.map((line) => `    ${line}`).join("\n");
}
