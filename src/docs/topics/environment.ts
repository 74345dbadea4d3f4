import type { GlobalNode } from "../../command-kit/tree.ts";
import type { TopicSection } from "../../core/topics.ts";
import { environmentOf, files, otherPaths } from "../environment.ts";

export const environmentTopic = (globals: readonly GlobalNode[]): readonly TopicSection[] => [
  {
    heading: "Variables",
    parts: [
      "Flags override environment variables, and environment variables override the profile.",
      {
        terms: environmentOf(globals).map(({ name, meaning, flag }) => [
          name,
          meaning + (flag ? `; same as ${flag}` : ""),
        ]),
      },
    ],
  },
  { heading: "Files", parts: [{ terms: files }, otherPaths] },
];
