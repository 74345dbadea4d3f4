import { type Command, Option } from "commander";
import { UsageError } from "../commands/errors.ts";
import type { CommandFlag } from "../commands/flags.ts";
import { fillBareFlags } from "./bare-flags.ts";
import { globalFlags, type TypedGlobals } from "./globals.ts";

/** A value as typed, and the name it was typed under. */
export interface TypedFlag {
  readonly value: string | readonly string[] | boolean;
  readonly name: string;
}

const collect = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  text,
];

/** Declares a command's own flags: each name an option, with `--no-` beside it where that means something. */
export function declareFlags(command: Command, flags: readonly CommandFlag[]): void {
  for (const flag of flags) {
    for (const [index, name] of flag.names.entries()) {
      const short = index === 0 && flag.short ? `-${flag.short}, ` : "";
      const option = new Option(`${short}--${name}${flag.value ? ` <${flag.value}>` : ""}`);
      if (flag.repeat) option.argParser(collect);
      command.addOption(option);
      if (flag.negatable) command.addOption(new Option(`--no-${name}`));
    }
  }
  fillBareFlags(command, flags);
}

/** A flag that every command takes, kept apart from a command's own of nearly the same name, such as `--input`. */
class GlobalOption extends Option {
  override attributeName(): string {
    return `global ${super.attributeName()}`;
  }
}

/** Every command has the same ones. */
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

/** What was typed for a command's own flags, by main name. */
export function typedFlags(
  command: Command,
  flags: readonly CommandFlag[],
): Readonly<Record<string, TypedFlag>> {
  return Object.fromEntries(
    flags.flatMap((flag) => {
      const typed = flag.names.flatMap((name) => typedAs(command, name));
      const [first, second] = typed;
      if (first && second && String(first.value) !== String(second.value)) {
        throw new UsageError(`${first.name} and ${second.name} are the same flag: give one of them`);
      }
      return first ? [[flag.names[0], first]] : [];
    }),
  );
}

function typedAs(command: Command, name: string): TypedFlag[] {
  const bare = name.replace(/^no-/, "");
  const attribute = new Option(`--${bare}`).attributeName();
  if (command.getOptionValueSource(attribute) !== "cli") return [];
  const value: unknown = command.getOptionValue(attribute);
  if (bare !== name) return value === false ? [{ value: true, name: `--${name}` }] : [];
  if (typeof value === "string" || Array.isArray(value)) return [{ value, name: `--${name}` }];
  return typeof value === "boolean" ? [{ value, name: value ? `--${name}` : `--no-${name}` }] : [];
}

/** What was typed for the global flags, anywhere on the line; the last place wins. */
export function typedGlobals(command: Command): TypedGlobals {
  const line: Command[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) line.unshift(at);
  const typed = line.flatMap((one) =>
    globalOptions.flatMap(({ name, attribute }) =>
      one.getOptionValueSource(attribute) === "cli" ? [[name, one.getOptionValue(attribute)]] : [],
    ),
  );
  return Object.fromEntries(typed);
}
