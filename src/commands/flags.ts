import type { Field } from "../contract/field.ts";
import { routes } from "../contract/generated/routes.ts";
import type { CommandSpec, Flag } from "./spec.ts";

/** A flag as the command line, the help, the manual and the completions know it. */
export interface CommandFlag extends Omit<Flag, "gives"> {
  /** The field it gives, for a flag made from the contract. */
  readonly field?: Field;
  /** A switch that also has `--no-`. */
  readonly negatable: boolean;
}

/** Names that stand beside the mechanical ones, and what completes a value, by field. */
const aliases: Readonly<Record<string, Alias>> = {
  gpuCount: { names: ["gpus"] },
  gpuType: { names: ["gpu"] },
  termPeriodDays: { names: ["days"] },
  negative_prompt: { names: ["negative"] },
  model_name: { names: ["model"], short: "m" },
  model: { names: [], short: "m" },
  rentalIds: { names: [], completes: "rental" },
};

interface Alias extends Pick<Flag, "short" | "completes"> {
  readonly names: readonly string[];
}

/** `gpuCount` and `cfg_scale` as `gpu-count` and `cfg-scale`. */
export const kebab = (name: string): string =>
  name
    .replace(/([A-Z])/g, "-$1")
    .replaceAll("_", "-")
    .toLowerCase();

/** The fields of the command's first operation. */
export function fieldsOf({ operations: [main] }: Pick<CommandSpec, "operations">): readonly Field[] {
  return main === undefined ? [] : routes[main].fields;
}

/** Every flag of a command but the global ones: first the fields', then its own. */
export function flagsOf(spec: CommandSpec): readonly CommandFlag[] {
  const own = new Set(spec.flags?.flatMap((flag) => flag.names));
  const fromFields = fieldsOf(spec)
    .filter((field) => !spec.withoutFlag?.includes(field.name) && !own.has(kebab(field.name)))
    .map(fieldFlag);
  return [...fromFields, ...(spec.flags ?? []).map((flag) => ({ ...flag, negatable: false }))];
}

function fieldFlag(field: Field): CommandFlag {
  const extra = aliases[field.name];
  const value = placeholder(field);
  return {
    field,
    names: [kebab(field.name), ...(extra?.names ?? [])],
    ...(extra?.short && { short: extra.short }),
    ...(extra?.completes && { completes: extra.completes }),
    ...(value && { value }),
    text: field.description,
    ...(field.choices && { choices: field.choices }),
    ...(field.default !== undefined && { default: String(field.default) }),
    repeat: field.kind === "list" || field.kind === "map",
    negatable: field.kind === "boolean",
  };
}

function placeholder({ kind, item, choices }: Field): string | undefined {
  if (choices) return "VALUE";
  switch (kind) {
    case "boolean":
      return undefined;
    case "integer":
    case "number":
      return "N";
    case "list":
      return item?.kind === "id" ? "ID" : "N";
    case "map":
      return "NAME:N";
    case "date-time":
      return "TIME";
    default:
      return kind === "id" ? "ID" : "TEXT";
  }
}

/** The flags and the positional by which a field can be given, for messages, the main one first; `path` leads into the input. */
export function givenBy(
  spec: CommandSpec,
  path: readonly (string | number)[],
): readonly [string, ...string[]] {
  const name = path.filter((step) => typeof step === "string").join(".");
  const first = String(path[0] ?? "");
  const word = spec.positionals?.find(({ field, gives }) => field === first || gives === first)?.name;
  const field = flagsOf(spec).find((flag) => flag.field?.name === first)?.names[0];
  const own = (spec.flags ?? [])
    .filter((flag) =>
      flag.gives?.some(
        (given) => given === name || name.startsWith(`${given}.`) || given.startsWith(`${name}.`),
      ),
    )
    .map((flag) => flag.names[0]);
  const flags = [field, ...own].filter((flag) => flag !== undefined).map((flag) => `--${flag}`);
  const [main = `--${kebab(first)}`, ...others] = [...(word === undefined ? [] : [word]), ...flags];
  return [main, ...others];
}
