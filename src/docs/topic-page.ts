import type { Topic, TopicPart } from "../core/topics.ts";
import { bold, list, literal, page, plain, section, type Title, typed } from "./roff.ts";

/** A topic as a manual page. */
export const topicPage = (
  { name, summary, sections }: Topic,
  title: Omit<Title, "name" | "number">,
): string =>
  page({ ...title, name: `gpuctl-${name}`, number: 7 }, [
    section("NAME", `${literal(`gpuctl-${name}`)} \\- ${plain(summary)}`),
    ...sections.map(({ heading, parts }) => section(heading.toUpperCase(), ...parts.map(roffOf))),
    section("SEE ALSO", `${bold("gpuctl")}(1)`),
  ]);

function roffOf(part: TopicPart): string {
  if (typeof part === "string") return literal(part);
  if ("terms" in part) return list(part.terms.map(([term, meaning]) => [bold(term), literal(meaning)]));
  return typed(part.code);
}
