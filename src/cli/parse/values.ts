import type { Values } from "../../command-kit/define.ts";
import {
  type ArgNode,
  type CommandNode,
  type FlagNode,
  flagsThatSet,
  kebab,
} from "../../command-kit/tree.ts";
import { parseId, parseValue } from "../../command-kit/values.ts";
import type { Settings } from "../../config/settings.ts";
import { routes } from "../../contract/generated/routes.ts";
import { UsageError } from "../../core/errors.ts";
import { invalidChoice } from "../../core/text.ts";
import type { Environment } from "../../core/urls.ts";
import { type FlagWithSource, flagValue } from "./options.ts";
import type { Invocation } from "./program.ts";

/**
 * Adds values from the environment and the profile for flags that are not on the command line. Throws `UsageError` for
 * a value that this command does not accept. If the invocation is lenient, the service checks the values of fields.
 */
export function withDefaults(
  invocation: Invocation,
  { profileValues, profile }: Pick<Settings, "profileValues" | "profile">,
  variables: Environment,
): Invocation {
  const { command, flags, lenient } = invocation;
  const { defaulted = {} } = command;
  const more = command.flags.flatMap((flag): [string, FlagWithSource][] => {
    const [name] = flag.names;
    const { configKey = "", field = "", env = "" } = flag;
    const fromVariable = variables[env];
    if (fromVariable && !(name in flags)) {
      return [[name, { value: flagValue(flag, fromVariable, env, lenient), source: env }]];
    }
    // The command itself applies the defaults of the fields in `defaulted`.
    const text = field in defaulted ? undefined : profileValues[configKey];
    if (text === undefined || name in flags) return [];
    const source = `${configKey} of profile "${profile}"`;
    if (!lenient && flag.choices && !flag.choices.includes(text)) {
      throw new UsageError(invalidChoice(source, flag.choices, text), {
        hint: `Use --${name} to set another value for this command. Nothing was sent.`,
      });
    }
    return [[name, { value: flagValue(flag, text, source, lenient), source }]];
  });
  return more.length === 0 ? invocation : { ...invocation, flags: { ...Object.fromEntries(more), ...flags } };
}

/** The values of a command line: fields by their names in the API, other flags and arguments by their keys. */
export function valuesOf({
  command,
  flags,
  args,
  lenient,
}: Pick<Invocation, "command" | "flags" | "args" | "lenient">): Values {
  assertNoExtra(command, args);
  const fields = command.flags.flatMap(({ field, names: [name] }): [string, unknown][] => {
    const given = flags[name];
    return field === undefined || given === undefined ? [] : [[field, given.value]];
  });
  const argEntries: [string, unknown][] = [];
  for (const [at, one] of command.args.entries()) {
    const argument = one.variadic && at < args.length ? args.slice(at) : args[at];
    if (argument !== undefined) rejectKnownMistake(one, argument);
    if (one.field === undefined) {
      const value = argValue(one, argument);
      if (value !== undefined) argEntries.push([one.name.toLowerCase(), value]);
    } else if (argument !== undefined) {
      if (fields.some(([field]) => field === one.field)) {
        throw new UsageError(`${one.name} and --${kebab(one.field)} set the same field: use one of them`);
      }
      fields.push([one.field, fieldValue(command, one.field, argument, one.name, lenient)]);
    }
  }
  const own = command.flags.flatMap((flag): [string, unknown][] => {
    if (flag.key === undefined) return [];
    const value = flags[flag.names[0]]?.value ?? defaultOf(flag);
    return value === undefined ? [] : [[flag.key, value]];
  });
  return {
    input: Object.fromEntries(fields),
    flags: Object.fromEntries(own),
    args: Object.fromEntries(argEntries),
  };
}

/** The value of a flag that is not set. */
function defaultOf(flag: FlagNode): unknown {
  if (flag.default !== undefined) return flagValue(flag, flag.default, `--${flag.names[0]}`, false);
  if (flag.kind === "boolean") return false;
  if (flag.kind === "params") return {};
  return flag.repeat ? [] : undefined;
}

/** What sets an input field: the source of its value or, if it has no value, the main name of its flag or argument. */
export function flagFor(
  path: readonly (string | number)[],
  { command, flags }: Pick<Invocation, "command" | "flags">,
): string | undefined {
  const names = flagsThatSet(command, path);
  const given = names.map((name) => flags[name.replace(/^--/, "")]?.source);
  return given.find((name) => name !== undefined) ?? names[0];
}

/**
 * Parses text as the value of a field, by the field's kind. `source` names the flag, argument or setting in messages.
 */
export function fieldValue(
  { operation }: Pick<CommandNode, "operation">,
  name: string,
  value: string | readonly string[],
  source: string,
  lenient = false,
): unknown {
  const field = operation && routes[operation].fields.find((one) => one.name === name);
  if (!field) return value;
  const kindOf = (kind: string) => (kind === "number" || kind === "integer" || kind === "id" ? kind : "text");
  const flag = { names: [kebab(name)], text: "", notes: [], field: name } as const;
  if (field.kind === "list") {
    const node: FlagNode = { ...flag, kind: "list", item: kindOf(field.item?.kind ?? "string") };
    // An argument may be a label, and a label may contain commas.
    const isOne = (text: string) =>
      typeof value !== "string" && node.item === "id" && !/^\s*\d+(\s*,\s*\d+)*\s*$/.test(text);
    return [value]
      .flat()
      .flatMap((text) => (isOne(text) ? parseId(text) : flagValue(node, text, source, lenient)));
  }
  return flagValue({ ...flag, kind: kindOf(field.kind) }, String(value), source, lenient);
}

function argValue(one: ArgNode, argument: string | readonly string[] | undefined): unknown {
  if (one.variadic) return argument ?? [];
  if (argument === undefined) return undefined;
  return parseValue(one, String(argument), one.name);
}

function rejectKnownMistake({ name, mistakes = {} }: ArgNode, argument: string | readonly string[]): void {
  const hint = Object.entries(mistakes).find(([value]) => value === argument)?.[1];
  if (hint) throw new UsageError(`${name} cannot be ${argument}`, { hint });
}

function assertNoExtra({ args }: CommandNode, given: readonly string[]): void {
  const extra = given[args.length];
  if (extra === undefined || args.some(({ variadic }) => variadic)) return;
  const quotes = args.length === 1 ? `; quote ${args[0]?.name} if it contains spaces` : "";
  throw new UsageError(`unexpected argument ${JSON.stringify(extra)}${quotes}`);
}
