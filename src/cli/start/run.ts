import type { Context, Ports } from "../../command-kit/context.ts";
import type { Command, Values } from "../../command-kit/define.ts";
import { flagsThatSet } from "../../command-kit/tree.ts";
import { routes } from "../../contract/generated/routes.ts";
import { Interrupted } from "../../core/errors.ts";
import type { Result } from "../../core/result.ts";
import { isRead, NoBaseUrl, NoCredential } from "../../core/service-errors.ts";
import { stopwatch } from "../../core/tasks/steady-clock.ts";
import { baseUrlFor } from "../../core/urls.ts";
import { loaders } from "../generated/loaders.ts";
import { commandsWithin } from "../help/help.ts";
import { type Invocation, type Parsed, parse } from "../parse/program.ts";
import { valuesOf, withDefaults } from "../parse/values.ts";
import { fillIn } from "../prompt/ask.ts";
import { confirm } from "../prompt/confirm.ts";
import { withIds } from "../prompt/labels.ts";
import { againText, withFlagReplaced, withYes } from "../prompt/line.ts";
import type { Connection } from "./connection.ts";
import { createContext } from "./context.ts";
import type { RunPorts } from "./ports.ts";
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
  const invocation = withDefaults(parsed, settings, system.env);
  const node = invocation.command;
  const changed: { field: string; flag: readonly [string, string] }[] = [];
  const changeLine: Ports["changeLine"] = (field, flag) => changed.push({ field, flag });
  const withinLimits: Ports["withinLimits"] = async (operation, input, send) => {
    const owner = commandsWithin([]).find((one) => one.operation === operation);
    const limits = owner && (await loadCommand(owner.path.join(" "))).withinLimits;
    return limits ? limits({ ...context, input }, send) : send();
  };
  const ports = async (one: Command, line?: readonly string[]): Promise<object> => {
    if (one.uses === undefined) return {};
    const typedFlags = typedOn(line === undefined ? parsed : parse(line, context.settings.version));
    const own = { changeLine, typedFlags, withinLimits, invocation: parsed };
    if (!one.uses.includes("task")) return portsFor(one, runtime, connection, own);
    const { createTaskPorts } = await import("./task.ts");
    const sources = { connection, serviceNow, load: loadCommand, portsFor: (other: Command) => ports(other) };
    return portsFor(one, runtime, connection, { ...own, ...createTaskPorts(runtime, sources) });
  };
  const { values, line } = await fillIn(invocation, valuesOf(invocation), runtime, {
    command,
    context,
    portsFor: (one) => ports(one),
  });
  const parsedValues = { ...context, ...(await ports(command, line)), ...values };
  let { flags } = parsedValues;
  /** Replaces labels with IDs. In a command that only waits, the lookup counts as part of the wait. */
  const withLabels = async (built: object): Promise<object> => {
    const isWait = node.operation !== undefined && isRead(routes[node.operation]);
    const waitTimeout = isWait && typeof flags.waitTimeout === "number" ? flags.waitTimeout : undefined;
    const passed = stopwatch(system.clock.now);
    const replaced = await withIds(node, built, { ...context, ...settings, waitTimeout });
    if (waitTimeout !== undefined && replaced !== built) {
      flags = { ...flags, waitTimeout: Math.max(0, waitTimeout - passed()) };
    }
    return replaced;
  };
  const prepare = async (): Promise<object> => {
    const built = (await command.buildInput?.(parsedValues)) ?? values.input;
    // Skipped when there is nothing to check, so that a plain `list` loads no schema.
    if (settings.validate && node.operation !== undefined && Object.keys(built).length > 0) {
      const { checkInput } = await import("../prompt/check.ts");
      await checkInput(node.operation, built, invocation, connection.isListed);
    }
    return settings.validate ? withLabels(built) : built;
  };
  // Called before a question about spending, so that the user is not asked about a request that cannot be sent.
  const assertCanSend = async (): Promise<void> => {
    if (settings.sandbox || node.operation === undefined) return;
    const route = routes[node.operation];
    if (baseUrlFor(route, settings) === undefined) throw new NoBaseUrl();
    if ((await connection.keyring.keyFor(route)) === undefined) throw new NoCredential();
  };
  const confirmOnce = async (runInput: Context & Values): Promise<boolean> =>
    !settings.dryRun &&
    command.confirm !== undefined &&
    (await confirm(questionOf(command.confirm, runInput, assertCanSend), node, settings, system.io));
  // If a step before the run fails, for example because an answer to a prompt is invalid, prints the command line with
  // all answers, so that they are not lost. `--yes` is not added to the line, because the user has not confirmed.
  const sayUnconfirmed = (error: unknown): never => {
    const isCanceled = error instanceof Interrupted || system.interrupted.aborted;
    if (line && !isCanceled)
      notes.say(againText(line, command.confirm === undefined || settings.yes), { asTyped: true });
    throw error;
  };
  const input = await prepare().catch(sayUnconfirmed);
  const runInput = { ...parsedValues, flags, input };
  const confirmed = await confirmOnce(runInput).catch(sayUnconfirmed);
  const sayLine = (): void => {
    if (line === undefined && changed.length === 0) return;
    const words = changed.reduce(
      (before, { field, flag }) => withFlagReplaced(before, flagsThatSet(node, [field]), flag),
      line ?? invocation.argv,
    );
    notes.say(againText(confirmed ? withYes(words) : words, true), { asTyped: true });
  };
  if (!command.uses?.includes("changeLine")) {
    sayLine();
    return command.run(runInput);
  }
  try {
    const result = await command.run(runInput);
    sayLine();
    return result;
  } catch (error) {
    // If the user declined, the line is not suggested.
    if (!(error instanceof Interrupted)) sayLine();
    throw error;
  }
}

const typedOn = (parsed: Parsed): Ports["typedFlags"] =>
  "flags" in parsed
    ? Object.fromEntries(Object.entries(parsed.flags).map(([name, { value }]) => [name, value]))
    : {};

const questionOf = (
  confirmation: NonNullable<Command["confirm"]>,
  input: Context & Values,
  assertCanSend: () => Promise<void>,
) => {
  const spending = async () => {
    if (confirmation.spending === undefined) return undefined;
    await assertCanSend();
    return confirmation.spending(input);
  };
  return "destruction" in confirmation
    ? { question: () => confirmation.destruction(input), typed: confirmation.typed?.(input), spending }
    : { question: spending };
};

async function portsFor(
  { uses = [], view }: Command,
  runtime: Runtime,
  connection: Connection,
  { invocation, ...own }: RunPorts & Pick<RunOptions, "invocation">,
): Promise<object> {
  if (uses.length === 0) return {};
  const { createPorts } = await import("./ports.ts");
  const ports = { ...createPorts(runtime, connection, { invocation, view }), ...own };
  return Object.fromEntries(uses.map((name) => [name, ports[name]]));
}
