import type { Command } from "../../command-kit/define.ts";
import type { Result } from "../../core/result.ts";
import { loaders } from "../generated/loaders.ts";
import type { Invocation } from "../parse/program.ts";
import { valuesOf, withProfileDefaults } from "../parse/values.ts";
import { fillIn } from "../prompt/ask.ts";
import { confirm } from "../prompt/confirm.ts";
import type { Connection } from "./connection.ts";
import { createContext } from "./context.ts";
import type { Runtime } from "./services.ts";

/** A command by its words. */
export async function loadCommand(words: string): Promise<Command> {
  const load = loaders[words];
  if (!load) throw new Error(`no module for ${words}: run npm run generate`);
  return (await load()).default;
}

interface RunOptions {
  readonly invocation: Invocation;
  readonly command: Command;
  readonly connection: Connection;
  /** The service's time by its last response, in milliseconds since the epoch. */
  readonly serviceNow: () => number;
}

/** From the parsed command line to a result: missing values, contract check, confirmation, the command itself. */
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
  const input = (await command.buildInput?.(parsedValues)) ?? values.input;
  // Skipped when there is nothing to check, so that a plain listing loads no schema.
  if (settings.validate && node.operation !== undefined && Object.keys(input).length > 0) {
    const { checkInput } = await import("../prompt/check.ts");
    await checkInput(node.operation, input, invocation, connection.isListed);
  }
  const runInput = { ...parsedValues, input };
  if (!settings.dryRun && command.confirm) {
    const { confirm: asked } = command;
    const question = () => ("spending" in asked ? asked.spending(runInput) : asked.destruction(runInput));
    const real = node.operation === undefined && node.path[0] !== "sandbox";
    await confirm(question, node, { ...settings, sandbox: settings.sandbox && !real }, system.io);
  }
  return command.run(runInput);
}

async function portsFor({ uses = [] }: Command, runtime: Runtime, connection: Connection): Promise<object> {
  if (uses.length === 0) return {};
  const ports = (await import("./ports.ts")).createPorts(runtime, connection);
  return Object.fromEntries(uses.map((name) => [name, ports[name]]));
}
