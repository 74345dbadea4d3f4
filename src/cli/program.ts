import { Command, CommanderError } from "commander";
import { flagsOf } from "../commands/flags.ts";
import { type Noun, nouns } from "../commands/index.ts";
import type { CommandSpec } from "../commands/spec.ts";
import { UsageError } from "../context/errors.ts";
import type { TypedGlobals } from "./globals.ts";
import { commandHelp, groupHelp, rootHelp } from "./help.ts";
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
  const program = tree.command("gpuctl", rootHelp);
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
  command(name: string, help: () => string): Command {
    const command = new Command(name)
      .exitOverride()
      .enablePositionalOptions()
      .version(this.#version, "-V, --version")
      .configureOutput({
        writeOut: (text) => this.#shown.push(text),
        writeErr: (text) => this.#shown.push(text),
      });
    command.helpInformation = help;
    declareGlobals(command);
    return command;
  }

  /** A noun and its verbs; the verbs only when the command line names the noun. */
  addNoun(program: Command, noun: Noun, whole: boolean): void {
    const group = this.command(noun.name, () => groupHelp([noun.name], noun.summary, noun.commands));
    program.addCommand(group);
    if (whole) for (const spec of noun.commands) this.#addSpec(group, spec, noun);
  }

  #addSpec(group: Command, spec: CommandSpec, noun: Noun): void {
    const last = spec.path.slice(1).reduce((parent, word, index) => {
      const known = parent.commands.find((command) => command.name() === word);
      if (known) return known;
      const path = spec.path.slice(0, index + 2);
      const inside = noun.commands.filter((other) => path.every((step, at) => other.path[at] === step));
      const child = this.command(word, () => groupHelp(path, noun.summary, inside));
      parent.addCommand(child);
      return child;
    }, group);
    const flags = flagsOf(spec);
    declareFlags(last, flags);
    last.helpInformation = () => commandHelp(spec);
    last.arguments("[words...]").action((words: string[], _options: unknown, self: Command) => {
      this.#found({ spec, words, flags: typedFlags(self, flags), globals: typedGlobals(self) });
    });
  }
}
