import { type GlobalNode, spellings, textWithNotes } from "../../command-kit/tree.ts";

import type { TopicSection } from "../../core/topics.ts";

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
  ["message", "What went wrong, for people"],
  ["issues", "One entry for each invalid value, with its flag or path and a message; often empty"],
  ["status", "HTTP status of the response; null when there was none"],
  ["exitCode", "The exit code of the command"],
  ["retryable", "Whether it is safe to run the same command again"],
  ["hint", "What to do next; may be null"],
  ["request", "Method and URL of the failed request; null when none was sent"],
];

export function outputTopic(globals: readonly GlobalNode[]): readonly TopicSection[] {
  const format = globals.find(({ names: [name] }) => name === "output");
  const beside = globals.filter((flag) => flag.group === "Output" && flag !== format);
  return [
    {
      heading: "Streams",
      parts: [
        "Only results go to stdout; notes, prompts, progress and errors go to stderr. An empty list is not an error. When the reader of a pipe exits, gpuctl exits quietly.",
      ],
    },
    {
      heading: "Formats",
      parts: [
        "Set with --output.",
        { terms: (format?.choices ?? []).map((choice) => [choice, formats[choice] ?? ""]) },
      ],
    },
    {
      heading: "Flags",
      parts: [
        {
          terms: beside.map((flag) => [
            spellings(flag).join(", ") + (flag.value ? ` ${flag.value}` : ""),
            textWithNotes(flag),
          ]),
        },
      ],
    },
    {
      heading: "Errors",
      parts: [
        "Errors are printed on stderr. With a machine-readable format, an error is one JSON object on stderr with the field error, which holds:",
        { terms: errorFields },
      ],
    },
    {
      heading: "Compatibility",
      parts: [
        "gpuctl follows semantic versioning. Within a major version, fields that gpuctl itself produces are not removed and do not change their meaning; new fields may be added. Responses of the service are passed through unchanged.",
      ],
    },
  ];
}
