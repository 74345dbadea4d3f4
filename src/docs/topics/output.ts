import type { GlobalFlag } from "../../commands/global-flag.ts";
import type { TopicSection } from "../../commands/help/topics.ts";
import { shownGlobal, textWithNotes } from "../../commands/shown-flag.ts";

/** What each format is; the flag says which ones there are. */
const formats: Readonly<Record<string, string>> = {
  table:
    "Columns for people, on a terminal as wide as that. In a pipe nothing is cut and times stand as they came.",
  json: "One JSON document: the service's answer, passed on unchanged.",
  jsonl: "One JSON document a line, one for each record.",
  yaml: "The same as JSON, as YAML.",
  csv: "Comma-separated values with a header; quoted where needed.",
  tsv: "Tab-separated values with a header.",
  id: "Identifiers alone, one a line, for the next command.",
};

/** The fields of the document that tells an error. */
export const errorFields: readonly (readonly [string, string])[] = [
  ["code", "What went wrong, in one word of capitals. Scripts compare this, or the exit code"],
  ["message", "The same for people"],
  ["issues", "What is wrong with each value, each with the flag or the path and a message; often empty"],
  ["status", "The status of the service's answer; null when there was none"],
  ["exitCode", "The exit code of the command"],
  ["retryable", "Whether the same command may be run again as it is"],
  ["hint", "What to do; null when there is nothing to say"],
  ["request", "The method and the URL of the request that failed; null when none was sent"],
];

export function outputTopic(globals: readonly GlobalFlag[]): readonly TopicSection[] {
  const format = globals.find(({ name }) => name === "output");
  const beside = globals.filter((flag) => flag.group === "Output" && flag !== format).map(shownGlobal);
  return [
    {
      heading: "Streams",
      parts: [
        "Results go to stdout and nothing else does; notes, questions, progress and errors go to stderr. A list with nothing in it is an empty list, and no error. When the reader of a pipe leaves, gpuctl ends quietly.",
      ],
    },
    {
      heading: "Formats",
      parts: [
        "--output says which.",
        { terms: (format?.choices ?? []).map((choice) => [choice, formats[choice] ?? ""]) },
      ],
    },
    {
      heading: "Flags",
      parts: [
        {
          terms: beside.map((flag) => [
            flag.names.join(", ") + (flag.value ? ` ${flag.value}` : ""),
            textWithNotes(flag),
          ]),
        },
      ],
    },
    {
      heading: "Errors",
      parts: [
        "An error is a few lines on stderr. With a format for programs it is one JSON document there, an object with the field error, which holds:",
        { terms: errorFields },
      ],
    },
    {
      heading: "What stays",
      parts: [
        "Versions follow semantic versioning. Within a major version no field of what gpuctl makes itself goes away or changes its meaning; new ones may come. What the service answers is passed on as it is, so its fields are the service's own.",
      ],
    },
  ];
}
