import type { GlobalNode } from "../command-kit/tree.ts";
import { type Topic, type TopicName, topics } from "../core/topics.ts";
import { environmentTopic } from "./environment.ts";
import { exitCodesTopic } from "./exit-codes.ts";
import { outputTopic } from "./output.ts";

const contents: Readonly<Record<TopicName, (globals: readonly GlobalNode[]) => Topic["sections"]>> = {
  "exit-codes": () => exitCodesTopic,
  environment: environmentTopic,
  output: outputTopic,
};

/** The help topics with their contents. */
export const topicsOf = (globals: readonly GlobalNode[]): readonly Topic[] =>
  topics.map(({ name, summary }) => ({ name, summary, sections: contents[name](globals) }));
