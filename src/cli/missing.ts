import { fieldsOf, kebab } from "../commands/flags.ts";
import type { Args, CommandSpec, Positional } from "../commands/spec.ts";
import type { Defaults } from "../context/context.ts";
import type { Field } from "../contract/field.ts";

/** Something that a command cannot do without. */
export interface Missing {
  /** As the user would type it, such as `--gpu-count` or `RENTAL`. */
  readonly flag: string;
  readonly field: Field | undefined;
  readonly positional: Positional | undefined;
  readonly text: string;
}

/** All that a command still needs: words first, then required fields that neither a flag nor a kept default gives. */
export function missingOf(spec: CommandSpec, args: Args, defaults: Defaults): readonly Missing[] {
  const words = (spec.positionals ?? []).filter(
    (positional) =>
      positional.required && wordOf(positional, args) === undefined && !isReplaced(positional, args),
  );
  const fields = fieldsOf(spec).filter(
    ({ name, required }) =>
      required &&
      args.fields[name] === undefined &&
      !isFound(spec, name, defaults) &&
      !isGivenElsewhere(spec, name, args) &&
      !spec.positionals?.some((positional) => positional.field === name || positional.gives === name),
  );
  return [
    ...words.map((positional) => ({
      flag: positional.name,
      positional,
      field: fieldsOf(spec).find(({ name }) => name === positional.field),
      text: positional.choices ? oneOf(positional.choices) : positional.text,
    })),
    ...fields.map((field) => ({
      flag: `--${kebab(field.name)}`,
      field,
      positional: undefined,
      text: field.choices ? oneOf(field.choices) : field.description,
    })),
  ];
}

const oneOf = (choices: readonly string[]): string => `one of ${choices.join(", ")}`;

/** What was typed for a positional, as a word or by the flag of its field. */
export function wordOf({ name, field }: Positional, { fields, words }: Args): string | undefined {
  const value = words[name] ?? (field === undefined ? undefined : fields[field]);
  return value === undefined ? undefined : String(value);
}

/** Whether a flag was given that takes the positional's place. */
export const isReplaced = ({ unless }: Positional, { flags }: Args): boolean =>
  unless !== undefined && flags[unless] !== undefined;

function isFound({ found = {} }: CommandSpec, field: string, defaults: Defaults): boolean {
  const where = found[field];
  return where === "always" || (where !== undefined && defaults[where] !== undefined);
}

const isGivenElsewhere = (spec: CommandSpec, field: string, { flags }: Args): boolean =>
  spec.flags?.some(({ names: [name = ""], gives }) => flags[name] !== undefined && gives?.includes(field)) ??
  false;
