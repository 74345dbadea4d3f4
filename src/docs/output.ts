import { type GlobalNode, spellings, textWithNotes } from "../command-kit/tree.ts";
import type { TopicSection } from "../core/topics.ts";

/** Descriptions of the formats that --output accepts. */
const formats: Readonly<Record<string, string>> = {
  table:
    "Columns for people, fitted to the terminal. In a pipe, nothing is truncated and times are printed as the service sent them.",
  json: "One JSON document. Values from the service are unchanged.",
  jsonl: "One JSON document per line, one for each record.",
  yaml: "The same document as json, in YAML.",
  csv: "Comma-separated values with a header, quoted where needed. See Spreadsheets.",
  tsv: "Tab-separated values with a header. See Spreadsheets.",
  id: "Identifiers only, one per line, to pass to another command.",
};

/** The fields of an error document. */
export const errorFields: readonly (readonly [string, string])[] = [
  [
    "code",
    "Error code, such as NOT_FOUND, or a code that the service sent. In scripts, check this or the exit code",
  ],
  ["message", "Description of the error, for people"],
  [
    "issues",
    "Details, such as one for each invalid value; may be empty. A detail usually has a message, and a flag or path",
  ],
  ["status", "HTTP status of the response that the error is about; null if there is none"],
  ["exitCode", "The exit code of the command"],
  [
    "retryable",
    "Whether running the same command again may succeed; nothing is changed twice, but a cut-off answer may be charged again",
  ],
  ["hint", "What to do next; may be null"],
  ["request", "Method and URL of the request that the error is about; null if there is none"],
];

export function outputTopic(globals: readonly GlobalNode[]): readonly TopicSection[] {
  const format = globals.find(({ names: [name] }) => name === "output");
  const others = globals.filter((flag) => flag.group === "Output" && flag !== format);
  return [
    {
      heading: "Streams",
      parts: [
        "Results go to stdout; notes, prompts, progress and errors go to stderr. An empty list is not an error. When the reader of a pipe exits, most commands exit quietly.",
      ],
    },
    {
      heading: "Partial results",
      parts: [
        "`rentals list` requests virtual machines and bare metal separately. If one of the requests fails, gpuctl still prints the rentals from the other request, in every format. It then prints the error to stderr and exits with the error's code. A list with exit code 0 is complete, unless a note says that there may be more results. If a list of more than 1 MiB ends early, gpuctl prints the part that arrived. In json and yaml, only `rentals list` prints such a part, and only if its other request returned a complete list. A command for several items also prints the results of the items that succeeded; see `gpuctl help exit-codes` for code 12.",
      ],
    },
    {
      heading: "Formats",
      parts: [
        "--output selects the format. Numbers are printed exactly as the service sent them, such as 1.50 or 12345678901234567891, except that a table shows cents as dollars. jq may write a number differently, so --jq may print 1.5 for 1.50.",
        "Lists may have any length. Lists of more than 1 MiB are printed as they arrive. In json and yaml and with --jq, the output is printed only when it is complete; until then, long output is kept in a temporary file. In a table of such a list, the columns and their widths depend only on the first 1,000 records. --jq also works on a list of any length if its filter is `.[]` or a path such as `.[].id`; either may be followed by `|` and another filter. Any other filter needs the whole list in memory, about 700 MB for 100,000 rentals. It fails if jq needs more than 2 GiB, for example for 500,000 rentals.",
        { terms: (format?.choices ?? []).map((choice) => [choice, formats[choice] ?? ""]) },
      ],
    },
    {
      heading: "Spreadsheets",
      parts: [
        "If a cell begins with =, +, -, @, a tab or a carriage return, a spreadsheet runs it as a formula. In csv and tsv, gpuctl therefore adds an apostrophe before such a text. It also adds one before a text such as `'=1`, which has one of these characters after one or more apostrophes. To restore the original, find each text that begins with one or more apostrophes and then one of these characters, and remove its first apostrophe. Numbers such as -1.50 are not changed, nor are texts in json.",
      ],
    },
    {
      heading: "Flags",
      parts: [
        {
          terms: others.map((flag) => [
            spellings(flag).join(", ") + (flag.value ? ` ${flag.value}` : ""),
            textWithNotes(flag),
          ]),
        },
      ],
    },
    {
      heading: "Errors",
      parts: [
        "Errors are printed on stderr. With a machine-readable format (any except table and id), an error is one JSON object whose error field contains:",
        { terms: errorFields },
      ],
    },
    {
      heading: "Compatibility",
      parts: [
        "gpuctl follows semantic versioning. Within a major version, fields that gpuctl itself produces are neither removed nor redefined; new fields may be added. Service responses are passed through unchanged.",
      ],
    },
  ];
}
