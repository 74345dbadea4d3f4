import { Command, CommanderError } from "commander";
import { UsageError } from "../commands/errors.ts";
import { flagsOf } from "../commands/flags.ts";
import { type Noun, nouns } from "../commands/index.ts";
import type { CommandSpec } from "../commands/spec.ts";
import type { TypedGlobals } from "./globals.ts";
import { helpFor } from "./help.ts";
import type { HelpLook } from "./help-look.ts";
import { declareFlags, declareGlobals, type TypedFlag, typedFlags, typedGlobals } from "./options.ts";
import { refuseSlip, unknownFlag, unknownWord, usageHint } from "./unknown.ts";

/** What a command line asks for: a text to show, or a command to run. */
export type Parsed = { readonly show: string } | Invocation;

export interface Invocation {
  readonly spec: CommandSpec;
  readonly globals: TypedGlobals;
  /** By the flag's main name. */
  readonly flags: Readonly<Record<string, TypedFlag>>;
  readonly words: readonly string[];
  /** The whole line, as typed. */
  readonly argv: readonly string[];
}

/** Reads a command line. Throws `UsageError`, with the nearest known word where there is one. */
export function parse(argv: readonly string[], version: string, look: HelpLook): Parsed {
  const shown: string[] = [];
  let invocation: Omit<Invocation, "argv"> | undefined;
  const tree = new Tree({ argv, version, look, shown }, (found) => {
    invocation = found;
  });
  const program = tree.group([]);
  for (const noun of nouns) if (argv.includes(noun.name)) tree.addNoun(program, noun);
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new UsageError(said(error), { hint: usageHint });
  }
  if (invocation) return { ...invocation, argv };
  return { show: shown.join("") };
}

const said = ({ message }: CommanderError): string => message.replace(/^error: /, "");

interface Made {
  readonly argv: readonly string[];
  readonly version: string;
  readonly look: HelpLook;
  /** What was printed in the place of running a command. */
  readonly shown: string[];
}

/** Builds commander's commands from the specs. */
class Tree {
  readonly #made: Made;
  readonly #found: (invocation: Omit<Invocation, "argv">) => void;

  constructor(made: Made, found: (invocation: Omit<Invocation, "argv">) => void) {
    this.#made = made;
    this.#found = found;
  }

  /** A group of commands, which by itself shows its help. */
  group(path: readonly string[]): Command {
    return this.#command(path)
      .allowUnknownOption()
      .arguments("[words...]")
      .action((words: readonly string[]) => {
        const [wrong] = words;
        if (wrong !== undefined)
          throw wrong.startsWith("-") ? unknownFlag(wrong, path) : unknownWord(wrong, path);
        this.#help(path);
      });
  }

  #command(path: readonly string[]): Command {
    const command = new Command(path.at(-1) ?? "gpuctl")
      .exitOverride((error) => {
        const [, flag] = /unknown option '([^']*)'/.exec(error.message) ?? [];
        throw flag === undefined ? error : unknownFlag(flag, path);
      })
      .enablePositionalOptions()
      .showSuggestionAfterError(false)
      .helpOption(false)
      .option("-h, --help")
      .version(this.#made.version, "-V, --version")
      .configureOutput({ writeOut: (text) => this.#made.shown.push(text), writeErr: () => {} });
    declareGlobals(command);
    return command;
  }

  #help(path: readonly string[]): void {
    this.#made.shown.push(helpFor(path, this.#made.look) ?? "");
  }

  /** A noun and its verbs. */
  addNoun(program: Command, noun: Noun): void {
    const own = noun.commands.find(({ path }) => path.length === 1);
    const group = own ? this.#command([noun.name]) : this.group([noun.name]);
    program.addCommand(group);
    for (const spec of noun.commands) if (mayBeMeant(spec, this.#made.argv)) this.#addSpec(group, spec);
  }

  #addSpec(group: Command, spec: CommandSpec): void {
    const last = spec.path.slice(1).reduce((parent, word, index) => {
      const known = parent.commands.find((command) => command.name() === word);
      if (known) return known;
      const path = spec.path.slice(0, index + 2);
      const child = path.length === spec.path.length ? this.#command(path) : this.group(path);
      parent.addCommand(child);
      return child;
    }, group);
    const flags = flagsOf(spec);
    declareFlags(last, flags);
    last.arguments("[words...]").action((words: string[], _options: unknown, self: Command) => {
      if (asksForHelp(self)) return this.#help(spec.path);
      const [word, ...more] = words;
      if (word !== undefined && more.length === 0) refuseSlip(word, spec.path);
      this.#found({ spec, words, flags: typedFlags(self, flags), globals: typedGlobals(self) });
    });
  }
}

/** Whether the line holds the verb, wherever. What is not on it need not be declared. */
const mayBeMeant = ({ path: [, verb] }: CommandSpec, argv: readonly string[]): boolean =>
  verb === undefined || argv.includes(verb);

/** Whether help is asked for anywhere on the line. */
function asksForHelp(command: Command): boolean {
  return command.opts().help === true || (command.parent !== null && asksForHelp(command.parent));
}
