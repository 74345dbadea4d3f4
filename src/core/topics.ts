/** Help topics that are not commands; each has its own manual page. */
export const topics = [
  { name: "exit-codes", summary: "What each exit code means to a script" },
  { name: "environment", summary: "Environment variables and files that gpuctl uses" },
  { name: "output", summary: "Output formats, streams and machine-readable errors" },
] as const;

export type TopicName = (typeof topics)[number]["name"];

/** A help topic as data, for a terminal and for a manual page. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly sections: readonly TopicSection[];
}

export interface TopicSection {
  readonly heading: string;
  readonly parts: readonly TopicPart[];
}

/** A paragraph, terms with their meanings, or command lines. */
export type TopicPart =
  | string
  | { readonly terms: readonly (readonly [term: string, meaning: string])[] }
  | { readonly code: readonly string[] };
