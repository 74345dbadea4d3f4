import type { Field } from "../contract/field.ts";
import { keyOfField, keyOfFlag } from "./config/keys.ts";
import { type CommandFlag, fieldsOf } from "./flags.ts";
import { limitsText } from "./limits.ts";
import type { CommandSpec } from "./spec.ts";

/** What is to be said of a flag beside its text: choices, limits, default, repetition. */
export function flagNotes(spec: CommandSpec, flag: CommandFlag): readonly string[] {
  const limited = flag.field ?? partGivenBy(spec, flag);
  return present([
    flag.choices && `one of ${flag.choices.join(", ")}`,
    limited && limitsText(limited),
    flag.bare !== undefined && `${flag.bare} without a value`,
    flag.default !== undefined && `default ${flag.default}`,
    keyNote(
      flag.field ? keyOfField(spec.operations[0], flag.field.name) : keyOfFlag("flag", flag.names[0] ?? ""),
    ),
    flag.repeat && (flag.field ? "repeat or use commas" : "may be repeated"),
  ]);
}

/** Where the configuration keeps a default. */
export const keyNote = (key: string | undefined): string | undefined => key && `config ${key}`;

/** The notes that say something. */
export const present = (notes: readonly (string | false | undefined)[]): readonly string[] =>
  notes.filter((note): note is string => typeof note === "string" && note !== "");

/** The part of a field that a flag of the command's own gives, such as the label of a new volume. */
function partGivenBy(spec: CommandSpec, { names: [main] }: CommandFlag): Field | undefined {
  const given = spec.flags?.find(({ names }) => names[0] === main)?.gives ?? [];
  return fieldsOf(spec)
    .flatMap(({ name, shapes = [] }) => shapes.flat().map((part) => ({ path: `${name}.${part.name}`, part })))
    .find(({ path }) => path === given[0])?.part;
}
