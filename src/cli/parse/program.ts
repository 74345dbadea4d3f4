import { Command, CommanderError } from "commander";
import type { CommandNode, Noun } from "../../command-kit/tree.ts";
import { UsageError } from "../../core/errors.ts";
import { nouns } from "../generated/tree.ts";
import type { CliGlobals } from "./globals.ts";
import {
  declareFlags,
  declareGlobals,
  type FlagWithSource,
  flagsFromCli,
  globalsFromCli,
} from "./options.ts";
import {
  flagsOf,
  rejectMisspelling,
  separatedLine,
  takesCommandLine,
  unknownFlag,
  unknownWord,
  usageHint,
} from "./unknown.ts";

/** A parsed command line: a text to print, a path to show help for, a group without a command, or a command to run. */
export type Parsed =
  | { readonly show: string }
  | { readonly help: readonly string[] }
  | BareGroup
  | Invocation;

/** A command line that ends at a group of commands. */
export interface BareGroup extends Pick<Invocation, "globals" | "argv"> {
  readonly group: readonly string[];
}

export interface Invocation {
  readonly command: CommandNode;
  readonly globals: CliGlobals;
  /** By main name. */
  readonly flags: Readonly<Record<string, FlagWithSource>>;
  readonly args: readonly string[];
  /** The whole line, as typed, but with `--` before the words of another command. */
  readonly argv: readonly string[];
  /** Whether `--no-validate` was given, so that the service decides what is valid. */
  readonly lenient: boolean;
}

interface Line extends Pick<Invocation, "argv" | "lenient"> {
  readonly version: string;
  /** Set while commander parses: by an action, or by `--version`. */
  parsed: Parsed;
}

/** Parses a command line. Throws `UsageError`, with a suggestion if there is one. */
export function parse(argv: readonly string[], version: string): Parsed {
  const end = argv.indexOf("--");
  const lenient = (end < 0 ? argv : argv.slice(0, end)).includes("--no-validate");
  const line: Line = { argv, version, lenient, parsed: { show: "" } };
  const program = group([], line);
  // Declares only nouns that are on the line, because declaring all of them slows startup.
  for (const noun of nouns) if (argv.includes(noun.name)) addNoun(program, noun, line);
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const message = error.message.replace(/^error: /, "");
    if (error.exitCode !== 0) throw new UsageError(message, { hint: usageHint([]) });
  }
  return line.parsed;
}

/**
 * The flags that a commander error is about, such as `-m, --model <NAME>`. Commander puts them only into the message,
 * in quotes.
 */
export const quotedFlags = ({ message }: CommanderError): readonly string[] =>
  [...message.matchAll(/'([^']*)'/g)].map(([, flag = ""]) => flag);

/** Replaces an error of commander with gpuctl's own. Returns the error unchanged if gpuctl has no wording for it. */
function reworded(error: CommanderError, path: readonly string[], argv: readonly string[]): Error {
  const [first = "", second = ""] = quotedFlags(error);
  if (error.code === "commander.unknownOption") return unknownFlag(first, path, argv);
  const nameOf = (flag: string) => /--[^ ]+/.exec(flag)?.[0] ?? flag;
  if (error.code === "commander.optionMissingArgument") {
    const [, value = ""] = /<(.*)>/.exec(first) ?? [];
    return new UsageError(`${nameOf(first)} requires a value (${value})`, { hint: usageHint(path) });
  }
  if (error.code === "commander.conflictingOption") {
    return new UsageError(`${nameOf(first)} and ${nameOf(second)} cannot be used together`, {
      hint: usageHint(path),
    });
  }
  return error;
}

/** A group of commands. If the line ends at the group and does not ask for help, the result is a `BareGroup`. */
function group(path: readonly string[], line: Line): Command {
  return emptyCommand(path, line)
    .allowUnknownOption()
    .arguments("[words...]")
    .action((words: readonly string[], _options: unknown, self: Command) => {
      const [wrong] = words;
      if (wrong?.startsWith("-")) throw unknownFlag(wrong, path, line.argv);
      if (wrong !== undefined) throw unknownWord(wrong, path);
      line.parsed = asksForHelp(self)
        ? { help: path }
        : { group: path, globals: globalsFromCli(self), argv: line.argv };
    });
}

function emptyCommand(path: readonly string[], line: Line, node?: CommandNode): Command {
  const command = new Command(path.at(-1) ?? "gpuctl")
    .exitOverride((error) => {
      throw reworded(error, path, line.argv);
    })
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .helpOption(false)
    .option("-h, --help")
    .configureOutput({
      writeOut: (text) => {
        line.parsed = { show: text };
      },
      writeErr: () => {},
    });
  // After the words of another command, `--version` may be meant for that command.
  if (!takesCommandLine(node)) command.version(line.version, "-V, --version");
  declareGlobals(command, checkedLine(path, line));
  return command;
}

/** What the check of a flag's value needs to know about the command with this path. */
const checkedLine = (path: readonly string[], { argv }: Line) => ({
  argv,
  isFlag: (flag: string) => flagsOf(path).includes(flag),
  unknownFlag: (flag: string) => unknownFlag(flag, path, argv),
});

function addNoun(program: Command, { name, commandsOn }: Noun, line: Line): void {
  const commands = commandsOn(line.argv);
  const own = commands.some(({ path }) => path.length === 1);
  const parent = own ? emptyCommand([name], line) : group([name], line);
  program.addCommand(parent);
  for (const command of commands) addCommand(parent, command, line);
}

function addCommand(noun: Command, command: CommandNode, line: Line): void {
  const { path } = command;
  const last = path.slice(1).reduce((parent, word, index) => {
    const known = parent.commands.find((command) => command.name() === word);
    if (known) return known;
    const below = path.slice(0, index + 2);
    const child = below.length === path.length ? emptyCommand(below, line, command) : group(below, line);
    parent.addCommand(child);
    return child;
  }, noun);
  declareFlags(last, command, { ...checkedLine(path, line), lenient: line.lenient });
  last.arguments("[words...]").action((args: string[], _options: unknown, self: Command) => {
    const argv = separatedLine(command, args, line.argv);
    if (asksForHelp(self)) {
      line.parsed = { help: path };
      return;
    }
    const [word] = args;
    if (word !== undefined) rejectMisspelling(word, path, args.length);
    const { lenient } = line;
    const flags = flagsFromCli(self, command);
    line.parsed = { command, args, flags, globals: globalsFromCli(self), argv, lenient };
  });
}

/** Whether `--help` was given to the command or to one of its groups. */
function asksForHelp(command: Command): boolean {
  return command.opts().help === true || (command.parent !== null && asksForHelp(command.parent));
}
