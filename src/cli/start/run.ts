import type { Command } from "../../command-kit/define.ts";
import type { Result } from "../../core/result.ts";
import { loaders } from "../generated/loaders.ts";
import type { Invocation } from "../parse/program.ts";
import { valuesOf, withProfileDefaults } from "../parse/values.ts";
import { fillIn } from "../prompt/ask.ts";
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
  const { settings, system } = runtime;
  const context = createContext(runtime, connection, serviceNow);
  const invocation = withProfileDefaults(parsed, settings);
  const node = invocation.command;
  const values = await fillIn(invocation, valuesOf(invocation), runtime);
  const parsedValues = { ...context, ...(await portsFor(command, runtime, connection)), ...values };
  const built = (await command.buildInput?.(parsedValues)) ?? values.input;
  // Skipped when there is nothing to check, so that a plain `list` loads no schema.
  if (settings.validate && node.operation !== undefined && Object.keys(built).length > 0) {
    const { checkInput } = await import("../prompt/check.ts");
    await checkInput(node.operation, built, invocation, connection.isListed);
  }
  const input = settings.validate ? await withIds(node, built, { ...context, ...settings }) : built;
  const runInput = { ...parsedValues, input };
  if (!settings.dryRun && command.confirm) {
    const { confirm: confirmation } = command;
    const question = () =>
      "spending" in confirmation ? confirmation.spending(runInput) : confirmation.destruction(runInput);
    // Even with `--sandbox`, commands such as `profile remove` change the real configuration.
    const isReal = node.operation === undefined && node.path[0] !== "sandbox";
    await confirm(question, node, { ...settings, sandbox: settings.sandbox && !isReal }, system.io);
  }
  return command.run(runInput);
}

async function portsFor({ uses = [] }: Command, runtime: Runtime, connection: Connection): Promise<object> {
  if (uses.length === 0) return {};
  const ports = (await import("./ports.ts")).createPorts(runtime, connection);
  return Object.fromEntries(uses.map((name) => [name, ports[name]]));
}
