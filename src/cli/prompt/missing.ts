import type { Values } from "../../command-kit/define.ts";
import { type ArgNode, type CommandNode, type FlagNode, kebab } from "../../command-kit/tree.ts";
import type { LiveValue } from "../../command-kit/values.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { Field } from "../../contract/plain/field.ts";

/** An argument or field that has no value. */
export interface Missing {
  /** Its name in messages and help, such as `--gpu-count` or `RENTAL`. */
  readonly flag: string;
  readonly field: Field | undefined;
  readonly arg: ArgNode | undefined;
  /** A flag of the command itself that sets the field in a form that is easier to type. */
  readonly own: FlagNode | undefined;
  /** The kind of live values to choose from. */
  readonly completes: LiveValue | undefined;
  readonly text: string;
}

/** The required inputs that are missing: arguments first, then required fields without a value or a default. */
export function missingInputs(
  command: CommandNode,
  values: Values,
  profileValues: Readonly<Partial<Record<string, string>>>,
): readonly Missing[] {
  const fields = command.operation === undefined ? [] : routes[command.operation].fields;
  const isDefaulted = (name: string) => {
    const key = command.defaulted?.[name];
    return key === "always" || (key !== undefined && profileValues[key] !== undefined);
  };
  const isSetByFlag = (name: string) =>
    command.flags.some(({ key, setsFields }) => isGiven(values, key) && setsFields?.includes(name));
  const args = command.args.filter(
    (one) =>
      one.required &&
      !hasArgument(one, values) &&
      !isReplaced(one, values) &&
      !isGiven(values, one.fallbackFlag),
  );
  const needed = fields.filter(
    ({ name, required }) =>
      required &&
      !Object.hasOwn(values.input, name) &&
      !isDefaulted(name) &&
      !isSetByFlag(name) &&
      !command.args.some((one) => one.field === name || one.derivedField === name),
  );
  return [
    ...args.map((one) => ({
      flag: one.name,
      arg: one,
      own: undefined,
      completes: one.completes,
      field: fields.find(({ name }) => name === one.field),
      text: one.choices ? oneOf(one.choices) : one.text,
    })),
    ...needed.map((field) => missingField(field, command)),
  ];
}

/** Describes a field that has no value, to prompt for it. */
export function missingField(field: Field, { flags }: CommandNode): Missing {
  const own = flags.find(({ key, setsFields }) => key !== undefined && setsFields?.join() === field.name);
  const text = field.choices ? oneOf(field.choices) : field.description;
  return {
    flag: `--${own?.names[0] ?? kebab(field.name)}`,
    field,
    arg: undefined,
    own,
    completes: flags.find((flag) => flag.field === field.name)?.completes,
    text: own?.text ?? text,
  };
}

/** Adds an argument's value to the values. */
export const withArgument = (values: Values, { name, field }: ArgNode, value: unknown): Values =>
  field === undefined
    ? { ...values, args: { ...values.args, [name.toLowerCase()]: value } }
    : { ...values, input: { ...values.input, [field]: value } };

const oneOf = (choices: readonly string[]): string => `one of ${choices.join(", ")}`;

/** The value of an argument, or of the flag for its field. */
export function argumentValue({ name, field = "" }: ArgNode, { input, args }: Values): unknown {
  return args[name.toLowerCase()] ?? new Map<string, unknown>(Object.entries(input)).get(field);
}

function hasArgument(one: ArgNode, values: Values): boolean {
  const value = argumentValue(one, values);
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** Whether a flag replaces the argument. */
export const isReplaced = ({ replacedByFlag = [] }: ArgNode, values: Values): boolean =>
  [replacedByFlag].flat().some((key) => isGiven(values, key));

const isGiven = ({ flags }: Values, key: string | undefined): boolean =>
  key !== undefined && flags[key] !== undefined && flags[key] !== false;
