import { Command, CommanderError } from "commander";
import { UsageError } from "../commands/errors.ts";
import { flagsOf } from "../commands/flags.ts";
import { type Noun, nouns } from "../commands/index.ts";
import type { CommandSpec } from "../commands/spec.ts";
import type { TypedGlobals } from "./globals.ts";
import { helpFor } from "./help.ts";
import { declareFlags, declareGlobals, type TypedFlag, typedFlags, typedGlobals } from "./options.ts";

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
export function parse(argv: readonly string[], version: string): Parsed {
  const shown: string[] = [];
  let invocation: Omit<Invocation, "argv"> | undefined;
  const tree = new Tree(version, shown, (found) => {
    invocation = found;
  });
  const program = tree.command([]);
  for (const noun of nouns) tree.addNoun(program, noun, argv.includes(noun.name));
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0 && error.code !== "commander.help") throw usageError(error);
  }
  if (invocation) return { ...invocation, argv };
  return { show: shown.join("") };
}

function usageError({ message }: CommanderError): UsageError {
  const [first = "", suggestion] = message.replace(/^error: /, "").split("\n");
  return new UsageError(suggestion ? `${first} ${suggestion}` : first, {
    hint: "`gpuctl --help` lists the commands, and each command has --help.",
  });
}

/** Builds commander's commands from the specs. */
class Tree {
  readonly #version: string;
  readonly #shown: string[];
  readonly #found: (invocation: Omit<Invocation, "argv">) => void;

  constructor(version: string, shown: string[], found: (invocation: Omit<Invocation, "argv">) => void) {
    this.#version = version;
    this.#shown = shown;
    this.#found = found;
  }

  /** A command that, as long as it has no action, shows its help. */
  command(path: readonly string[]): Command {
    const command = new Command(path.at(-1) ?? "gpuctl")
      .exitOverride()
      .enablePositionalOptions()
      .version(this.#version, "-V, --version")
      .configureOutput({
        writeOut: (text) => this.#shown.push(text),
        writeErr: (text) => this.#shown.push(text),
      });
    command.helpInformation = () => helpFor(path) ?? "";
    declareGlobals(command);
    return command;
  }

  /** A noun and its verbs; just its name, for suggestions, when the command line does not name it. */
  addNoun(program: Command, noun: Noun, named: boolean): void {
    if (!named) {
      program.addCommand(new Command(noun.name));
      return;
    }
    const group = this.command([noun.name]);
    program.addCommand(group);
    for (const spec of noun.commands) this.#addSpec(group, spec);
  }

  #addSpec(group: Command, spec: CommandSpec): void {
    const last = spec.path.slice(1).reduce((parent, word, index) => {
      const known = parent.commands.find((command) => command.name() === word);
      if (known) return known;
      const child = this.command(spec.path.slice(0, index + 2));
      parent.addCommand(child);
      return child;
    }, group);
    const flags = flagsOf(spec);
    declareFlags(last, flags);
    last.arguments("[words...]").action((words: string[], _options: unknown, self: Command) => {
      this.#found({ spec, words, flags: typedFlags(self, flags), globals: typedGlobals(self) });
    });
  }
}
