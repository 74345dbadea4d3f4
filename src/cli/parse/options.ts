import { type Command, Option } from "commander";
import type { CommandNode, FlagNode } from "../../command-kit/tree.ts";
import { parseValue, type ValueKind } from "../../command-kit/values.ts";
import { UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { type CliGlobals, globalFlags } from "./globals.ts";

/** The value of a flag, with its source for messages: the flag as the user wrote it, or a key of the profile. */
export interface FlagWithSource {
  readonly value: unknown;
  readonly source: string;
}

/** Parses a flag's value. With `lenient`, a field's invalid value stays text, and the service decides. */
export function flagValue(flag: FlagNode, text: string, name: string, lenient: boolean): unknown {
  const { kind, item = "text", field, choices, repeat } = flag;
  const scalar = (kind: ValueKind, text: string) => {
    try {
      return parseValue({ ...flag, kind }, text, name);
    } catch (error) {
      if (lenient && field !== undefined) return text;
      throw error;
    }
  };
  const parts = () => text.split(",").map((one) => one.trim());
  if (kind === "choice" && repeat) return parts().map((one) => scalar(kind, one));
  if (kind !== "list" && kind !== "map") return scalar(kind, text);
  const texts = item === "text" && !choices ? [text] : parts();
  return kind === "list"
    ? texts.map((one) => scalar(item, one))
    : Object.fromEntries(texts.map((one) => pair(one, name, (value) => scalar(item, value))));
}

function pair(text: string, name: string, parse: (text: string) => unknown): [string, unknown] {
  const at = text.lastIndexOf(":");
  if (at < 1) throw new UsageError(`${name} must be NAME:VALUE, not ${JSON.stringify(text)}`);
  return [text.slice(0, at).trim(), parse(text.slice(at + 1))];
}

/** Combines the values of a repeated flag: objects are merged, anything else becomes a list. */
function combined(before: unknown, value: unknown): unknown {
  if (isRecord(value)) return { ...(isRecord(before) && before), ...value };
  return [...(Array.isArray(before) ? before : []), value].flat();
}

/** Declares a command's own flags: an option for each name, and a `--no-` option for a switch that can be turned off. */
export function declareFlags(command: Command, { flags }: CommandNode, lenient: boolean): void {
  for (const flag of flags) {
    for (const [index, name] of flag.names.entries()) {
      command.addOption(optionFor(flag, name, index === 0 ? flag.short : undefined, lenient));
      if (flag.negatable) command.addOption(new Option(`--no-${name}`));
    }
  }
}

function optionFor(flag: FlagNode, name: string, short: string | undefined, lenient: boolean): Option {
  const { value, optionalValue, conflictsWith = [], repeat } = flag;
  const shown = optionalValue === undefined ? `<${value}>` : `[${value}]`;
  const option = new Option(
    `${short ? `-${short}, ` : ""}--${name}${value === undefined ? "" : ` ${shown}`}`,
  );
  option.conflicts(conflictsWith.map((other) => new Option(`--${other}`).attributeName()));
  if (optionalValue !== undefined) option.preset(optionalValue);
  if (value === undefined) return option;
  return option.argParser((text: string, before: unknown) => {
    const parsed = flagValue(flag, text, `--${name}`, lenient);
    return repeat ? combined(before, parsed) : parsed;
  });
}

/** A global flag, stored separately from a command's flag of the same name: `--no-input` is global, `--input` is not. */
class GlobalOption extends Option {
  #attribute: string | undefined;

  /** Calculated once, because every command on the line asks for it. */
  override attributeName(): string {
    this.#attribute ??= `global ${super.attributeName()}`;
    return this.#attribute;
  }
}

/** Created once and shared by all commands. */
const globalOptions = globalFlags.map((flag) => {
  const short = "short" in flag ? `-${flag.short}, ` : "";
  const dashes = "negative" in flag ? "--no-" : "--";
  const option = new GlobalOption(
    `${short}${dashes}${flag.name}${"value" in flag ? ` <${flag.value}>` : ""}`,
  );
  return { name: flag.name, option, attribute: option.attributeName() };
});

export function declareGlobals(command: Command): void {
  for (const { option } of globalOptions) command.addOption(option);
}

/** A command's own flags on the command line, by main name. */
export function flagsFromCli(
  command: Command,
  { flags }: CommandNode,
): Readonly<Record<string, FlagWithSource>> {
  return Object.fromEntries(
    flags.flatMap((flag) => {
      const [first, second] = flag.names.flatMap((name) => flagFromCli(command, name));
      if (first && second && JSON.stringify(first.value) !== JSON.stringify(second.value)) {
        throw new UsageError(`${first.source} and ${second.source} are the same flag: use one of them`);
      }
      return first ? [[flag.names[0], first]] : [];
    }),
  );
}

function flagFromCli(command: Command, name: string): FlagWithSource[] {
  const positive = name.replace(/^no-/, "");
  const attribute = new Option(`--${positive}`).attributeName();
  if (command.getOptionValueSource(attribute) !== "cli") return [];
  const value: unknown = command.getOptionValue(attribute);
  if (positive !== name) return value === false ? [{ value: true, source: `--${name}` }] : [];
  return [{ value, source: value === false ? `--no-${name}` : `--${name}` }];
}

/** The global flags on the command line, in any position; the last one wins. */
export function globalsFromCli(command: Command): CliGlobals {
  const line: Command[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) line.unshift(at);
  const flags = line.flatMap((one) =>
    globalOptions.flatMap(({ name, attribute }) =>
      one.getOptionValueSource(attribute) === "cli" ? [[name, one.getOptionValue(attribute)]] : [],
    ),
  );
  return Object.fromEntries(flags);
}
