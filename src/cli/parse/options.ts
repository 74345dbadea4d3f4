import { type Command, Option } from "commander";
import type { CommandNode, FlagNode } from "../../command-kit/tree.ts";
import { parseValue, type ValueKind } from "../../command-kit/values.ts";
import { UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { quoted } from "../../core/text.ts";
import { type CliGlobals, globalFlags } from "./globals.ts";

/** The value of a flag and, for messages, its source: the flag as typed, a variable or a key of the profile. */
export interface FlagWithSource {
  readonly value: unknown;
  readonly source: string;
}

/**
 * Parses a flag's value. If `lenient` is true, an invalid value of an input field is returned as text, so that the
 * service decides whether it is valid. Each entry of a map must be `NAME:VALUE` even then.
 */
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

/**
 * Whether a word on the command line may be this flag. Flags that are not on the line are not declared, because
 * declaring all of them slows startup.
 */
const isOnLine = (argv: readonly string[], long: string, short: string | undefined): boolean =>
  argv.some((word) => word.startsWith(long) || (short !== undefined && /^-[^-]/.test(word)));

/**
 * Declares a command's own flags that may be on the line: an option for each name, and a `--no-` option for a switch
 * that can be turned off.
 */
export function declareFlags(command: Command, { flags }: CommandNode, line: DeclareOptions): void {
  const { argv, lenient } = line;
  for (const flag of flags) {
    for (const [index, name] of flag.names.entries()) {
      const short = index === 0 ? flag.short : undefined;
      if (isOnLine(argv, `--${name}`, short)) {
        addOption(command, optionFor(flag, name, short), line, (text, before) => {
          const parsed = flagValue(flag, text, `--${name}`, lenient);
          return flag.repeat ? combined(before, parsed) : parsed;
        });
      }
      if (flag.negatable && isOnLine(argv, `--no-${name}`, undefined)) {
        command.addOption(new Option(`--no-${name}`));
      }
    }
  }
}

interface CheckedLine {
  readonly argv: readonly string[];
  /** Whether the command takes a flag. The flag is spelled as the user typed it. */
  readonly isFlag: (flag: string) => boolean;
  readonly unknownFlag: (flag: string) => Error;
}

interface DeclareOptions extends CheckedLine {
  readonly lenient: boolean;
}

function optionFor(
  { value, optionalValue, conflictsWith = [] }: FlagNode,
  name: string,
  short: string | undefined,
): Option {
  const shown = optionalValue === undefined ? `<${value}>` : `[${value}]`;
  const option = new Option(
    `${short ? `-${short}, ` : ""}--${name}${value === undefined ? "" : ` ${shown}`}`,
  );
  option.conflicts(conflictsWith.map((other) => new Option(`--${other}`).attributeName()));
  if (optionalValue !== undefined) option.preset(optionalValue);
  return option;
}

/** Adds an option to a command, with a check of its value. */
function addOption(
  command: Command,
  option: Option,
  line: CheckedLine,
  parse: (text: string, before: unknown) => unknown,
): void {
  command.addOption(option);
  if (option.isBoolean() || option.negate) return;
  option.argParser((text: string, before: unknown) => {
    assertIsValue(text, option, line);
    return parse(text, before);
  });
}

/** Matches `--`, which ends the flags, and a word that looks like a long flag, with or without a value. */
const flagLike = /^--(?:[a-z][\w-]*(?:=.*)?)?$/is;

/**
 * Throws `UsageError` if the value of an option is really a flag, or if `=` joins it to a short flag. commander takes
 * any next word as the value: `--label --sandbox` would rent from the service, with the label `--sandbox`. commander
 * also takes the rest of a word: `-sandbox` would be `-s` with the value `andbox`.
 */
function assertIsValue(text: string, { long = "", short = long }: Option, line: CheckedLine): void {
  const { argv, isFlag, unknownFlag } = line;
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end + 1);
  const takesNext = (word = "") =>
    word === long || (short !== long && /^-[^-]/.test(word) && word.endsWith(short.slice(1)));
  if (flagLike.test(text) && words.some((word, at) => word === text && takesNext(words[at - 1]))) {
    throw new UsageError(`${long} requires a value, but the next word is ${text}`, {
      hint: `To use this word as the value, write ${quoted(`${long}=${text}`)}.`,
    });
  }
  const joined = short + text;
  if (short === long || !words.includes(joined)) return;
  if (text.startsWith("=")) {
    throw new UsageError(
      `${short} takes its value without =, as in ${quoted(short)} ${quoted(text.slice(1))}`,
    );
  }
  const [name = ""] = `-${joined}`.split("=");
  if (isFlag(name)) throw unknownFlag(joined);
}

/**
 * A global flag. Its value is stored separately from that of a command's own flag. Otherwise, the global `--no-input`
 * and a command's `--input` would be the same attribute.
 */
class GlobalOption extends Option {
  /** Without dashes. */
  readonly flag: string;

  constructor(flag: string, flags: string) {
    super(flags);
    this.flag = flag;
  }

  override attributeName(): string {
    return `global ${super.attributeName()}`;
  }
}

export function declareGlobals(command: Command, line: CheckedLine): void {
  for (const flag of globalFlags) {
    const long = `${"negative" in flag ? "--no-" : "--"}${flag.name}`;
    const short = "short" in flag ? `-${flag.short}` : undefined;
    if (!isOnLine(line.argv, long, short)) continue;
    const spellings = short === undefined ? long : `${short}, ${long}`;
    const value = "value" in flag ? ` <${flag.value}>` : "";
    addOption(command, new GlobalOption(flag.name, spellings + value), line, (text) => text);
  }
}

/** A command's own flags on the command line, by main name. */
export function flagsFromCli(
  command: Command,
  { flags }: CommandNode,
): Readonly<Record<string, FlagWithSource>> {
  const declared = new Set(command.options.map(({ long }) => long));
  const isDeclared = (name: string) => declared.has(`--${name}`) || declared.has(`--no-${name}`);
  return Object.fromEntries(
    flags.flatMap((flag) => {
      if (!flag.names.some(isDeclared)) return [];
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

/** The global flags on the command line, in any position. If a flag is repeated, its last value counts. */
export function globalsFromCli(command: Command): CliGlobals {
  const line: Command[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) line.unshift(at);
  const flags = line.flatMap((one) =>
    one.options.flatMap((option) => {
      const attribute = option.attributeName();
      const isGiven = option instanceof GlobalOption && one.getOptionValueSource(attribute) === "cli";
      return isGiven ? [[option.flag, one.getOptionValue(attribute)]] : [];
    }),
  );
  return Object.fromEntries(flags);
}
