import { firstAt } from "../../core/json.ts";
import { oneLine, plainText } from "../../output/text.ts";

/** A value to offer, with its description. */
export interface CompletedValue {
  readonly value: string;
  /** May be empty. */
  readonly description: string;
}

/** Dotted paths of the identifier and the label of a record. */
export interface Columns {
  readonly id: readonly string[];
  readonly label: readonly string[];
}

/** The identifiers of records with their labels. Identifiers with control characters cannot be typed, so they are left out. */
export const valuesOf = (records: readonly unknown[], { id, label }: Columns): readonly CompletedValue[] =>
  records
    .map((record) => ({
      value: plainText(firstAt(record, id)),
      description: oneLine(plainText(firstAt(record, label)), true),
    }))
    .filter(({ value }) => isWord(value));

export const isWord = (text: string): boolean => text !== "" && text === oneLine(text, true);

/** A line for each value with the prefix: `VALUE`, a tab and its description. */
export const valueLines = (values: readonly CompletedValue[], prefix: string): string =>
  values
    .filter(({ value }) => value.startsWith(prefix))
    .map(({ value, description }) => `${value}\t${description}\n`)
    .join("");
