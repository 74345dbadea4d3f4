import type { Context } from "../../command-kit/context.ts";
import type { Command, Values } from "../../command-kit/define.ts";
import type { Result } from "../../core/result.ts";
import { quoted } from "../../core/text.ts";
import { loaders } from "../generated/loaders.ts";
import type { Invocation } from "../parse/program.ts";
import { valuesOf, withProfileDefaults } from "../parse/values.ts";
import { fillIn, withYes } from "../prompt/ask.ts";
import { confirm } from "../prompt/confirm.ts";
import { withIds } from "../prompt/labels.ts";
import type { Connection } from "./connection.ts";
import { createContext } from "./context.ts";
import type { Runtime } from "./services.ts";

/** Loads a command by its words, such as `rentals list`. */
export async function loadCommand(words: string): Promise<Command> {
  const load = loaders[words];
  if (!load) throw new Error(`no module for ${words}: run npm run generate`);
  return (await load()).default;
}

interface RunOptions {
  readonly invocation: Invocation;
  readonly command: Command;
  readonly connection: Connection;
  /** The service's time according to its last response, in milliseconds since the epoch. */
  readonly serviceNow: () => number;
}

/** Runs a parsed command line: fills in missing values, checks the input, asks for confirmation, runs the command. */
export async function run(
  { invocation: parsed, command, connection, serviceNow }: RunOptions,
  runtime: Runtime,
): Promise<Result> {
  const { settings, system, notes } = runtime;
  const context = createContext(runtime, connection, serviceNow);
  const invocation = withProfileDefaults(parsed, settings);
  const node = invocation.command;
  const ports = (one: Command) => portsFor(one, runtime, connection);
  const { values, line } = await fillIn(invocation, valuesOf(invocation), runtime, {
    command,
    context,
    portsFor: ports,
  });
  const parsedValues = { ...context, ...(await ports(command)), ...values };
  const prepare = async (): Promise<object> => {
    const built = (await command.buildInput?.(parsedValues)) ?? values.input;
    // Skipped when there is nothing to check, so that a plain `list` loads no schema.
    if (settings.validate && node.operation !== undefined && Object.keys(built).length > 0) {
      const { checkInput } = await import("../prompt/check.ts");
      await checkInput(node.operation, built, invocation, connection.isListed);
    }
    return settings.validate ? withIds(node, built, { ...context, ...settings }) : built;
  };
  const sayLine = (words: readonly string[]) =>
    notes.say(`To run this again without prompts: gpuctl ${words.map(quoted).join(" ")}`);
  const input = await prepare().catch((error: unknown) => {
    // The answers are not lost when one of them is rejected. A confirmation that was not given is not put in the line.
    if (line && (command.confirm === undefined || settings.yes)) sayLine(line);
    throw error;
  });
  const runInput = { ...parsedValues, input };
  const confirmed =
    !settings.dryRun &&
    command.confirm !== undefined &&
    (await confirm(questionOf(command.confirm, runInput), node, settings, system.io));
  if (line) sayLine(confirmed ? withYes(line) : line);
  return command.run(runInput);
}

const questionOf = (confirmation: NonNullable<Command["confirm"]>, input: Context & Values) =>
  "spending" in confirmation
    ? { question: () => confirmation.spending(input) }
    : { question: () => confirmation.destruction(input), typed: confirmation.typed?.(input) };

async function portsFor({ uses = [] }: Command, runtime: Runtime, connection: Connection): Promise<object> {
  if (uses.length === 0) return {};
  const ports = (await import("./ports.ts")).createPorts(runtime, connection);
  return Object.fromEntries(uses.map((name) => [name, ports[name]]));
}
