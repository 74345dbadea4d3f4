export type { Topic, TopicPart, TopicSection } from "../../context/world.ts";

/** What help tells beside the commands, each in a manual page of its own. */
export const topics = [
  { name: "exit-codes", summary: "What each exit code tells a script" },
  { name: "environment", summary: "Variables and files that gpuctl heeds" },
  { name: "output", summary: "Formats, streams, and errors that a program can read" },
] as const;

export type TopicName = (typeof topics)[number]["name"];
