import { firstAt } from "../../core/json.ts";
import { oneLine, plainText } from "../../output/text.ts";

/** A word that may be typed, and what it stands for. */
export interface CompletedValue {
  readonly value: string;
  /** Empty when there is nothing to say. */
  readonly description: string;
}

/** Where the identifier and the label of a record stand. */
export interface Columns {
  readonly id: readonly string[];
  readonly label: readonly string[];
}

/** The identifiers of records and their labels. What holds control characters can be no word of a command line. */
export const valuesOf = (records: readonly unknown[], { id, label }: Columns): readonly CompletedValue[] =>
  records
    .map((record) => ({
      value: plainText(firstAt(record, id)),
      description: oneLine(plainText(firstAt(record, label)), true),
    }))
    .filter(({ value }) => isWord(value));

export const isWord = (text: string): boolean => text !== "" && text === oneLine(text, true);

/** A line for each value that begins as typed: `VALUE`, a tab and its description. */
export const valueLines = (values: readonly CompletedValue[], prefix: string): string =>
  values
    .filter(({ value }) => value.startsWith(prefix))
    .map(({ value, description }) => `${value}\t${description}\n`)
    .join("");
