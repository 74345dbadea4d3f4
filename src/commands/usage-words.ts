import { textWithNotes } from "./shown-flag.ts";
import type { CommandSpec, Positional } from "./spec.ts";

/** The words of a command as its usage shows them, what may be left out in brackets. `drawn` draws the name of one. */
export const usageWords = (
  { positionals = [] }: Pick<CommandSpec, "positionals">,
  drawn: (name: string) => string = (name) => name,
): readonly string[] =>
  positionals.map(({ name, required, variadic, stdin, unless }) => {
    const word = `${drawn(name)}${variadic ? "..." : ""}`;
    return required && !stdin && !unless ? word : `[${word}]`;
  });

/** What is to be said of a word: its text, with the choices where there are some. */
export const wordText = ({ text, choices }: Positional): string =>
  textWithNotes({ text, notes: choices ? [`one of ${choices.join(", ")}`] : [] });
