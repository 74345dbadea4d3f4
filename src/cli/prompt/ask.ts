import { noStdin } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import type { Command, Values } from "../../command-kit/define.ts";
import { type CommandNode, kebab } from "../../command-kit/tree.ts";
import { UsageError } from "../../core/errors.ts";
import { sandboxChatModel } from "../../core/sandbox.ts";
import { utf8Text } from "../../core/text.ts";
import type { Invocation } from "../parse/program.ts";
import type { Runtime } from "../start/services.ts";
import { canConverse, canPrompt } from "./confirm.ts";
import { wholeLine } from "./line.ts";
import type { PortsFor } from "./live.ts";
import { argumentValue, isReplaced, type Missing, missingInputs, withArgument } from "./missing.ts";
import { readStdin } from "./stdin.ts";

/** The values of a command line, including those that were prompted for. */
export interface Filled {
  readonly values: Values;
  /**
   * The words of the typed command line, with flags and arguments added for the prompted values. Undefined if nothing
   * was prompted for.
   */
  readonly line: readonly string[] | undefined;
}

interface FillOptions {
  readonly command: Command;
  readonly context: Context;
  readonly portsFor: PortsFor;
}

/**
 * Completes the input. Text piped to stdin becomes the value of a missing argument. For some commands, the text is put
 * before a value that was given. Prompts for everything that is still missing. If gpuctl cannot prompt, throws a
 * `UsageError` that lists it. With `--no-validate`, neither prompts nor throws: the service rejects incomplete input.
 */
export async function fillIn(
  { command: node, argv }: Invocation,
  values: Values,
  runtime: Runtime,
  options: FillOptions,
): Promise<Filled> {
  const { settings } = runtime;
  const { io } = runtime.system;
  const { sandbox, profileValues } = settings;
  const defaults = sandbox ? { ...profileValues, "chat.model": sandboxChatModel } : profileValues;
  const piped = await fromStdin(node, values, runtime);
  const missing = settings.validate ? missingInputs(node, piped, defaults) : [];
  if (missing.length === 0) return { values: piped, line: undefined };
  if (!canPrompt(settings, io)) throw missingError(missing);
  const { command, context, portsFor } = options;
  await command.check?.({ ...context, ...(await portsFor(command)), ...piped });
  const { askMissing } = await import("./ask-missing.ts");
  const askedByCommand = canConverse(settings, io);
  const stillMissing = (known: Values) =>
    missingInputs(node, known, defaults).filter(
      ({ arg }) => !(askedByCommand && arg?.required === "off-terminal"),
    );
  if (stillMissing(piped).length === 0) return { values: piped, line: undefined };
  const {
    values: filled,
    flags,
    args,
  } = await askMissing(piped, stillMissing, { ...options, node, runtime });
  const isCommandLine = missing.some(({ arg }) => arg?.isCommandLine);
  return { values: filled, line: wholeLine(argv, flags, args, { isCommandLine }) };
}

/**
 * The error for missing input. Its message names every missing input. If only one is missing, the message also
 * describes it; otherwise, the `issues` of the error describe each of them.
 */
function missingError(missing: readonly Missing[]): UsageError {
  const message = `missing required input: ${missing.map(({ flag }) => flag).join(", ")}`;
  const [first, ...more] = missing;
  if (first && more.length === 0) return new UsageError(`${message} (${first.text})`);
  return new UsageError(message, { issues: missing.map(({ flag, text }) => ({ flag, message: text })) });
}

/** Whether a flag reads stdin. */
const isReadByFlag = ({ flags }: CommandNode, values: Values): boolean =>
  flags.some(({ readsStdin, key }) => readsStdin && [values.flags[key ?? ""]].flat().includes(readsStdin));

async function fromStdin(command: CommandNode, values: Values, runtime: Runtime): Promise<Values> {
  const arg = command.args.find(({ stdin }) => stdin !== undefined);
  if (!arg || isReplaced(arg, values)) return values;
  const { isTTY } = runtime.system.io.stdin;
  if (isTTY || values.flags[noStdin] === true || isReadByFlag(command, values)) return values;
  const given = argumentValue(arg, values);
  if (given !== undefined && arg.stdin === "instead") return values;
  const bytes = await readStdin(runtime, {
    how: `; --${kebab(noStdin)} skips it`,
    from: arg.name,
    kind: "text",
  });
  const text = utf8Text(bytes)?.replace(/\r?\n$/, "");
  if (text === undefined) {
    throw new UsageError(`${arg.name} from stdin is not text in UTF-8`, { hint: "Nothing was sent." });
  }
  if (text === "") return values;
  return withArgument(values, arg, given === undefined ? text : `${text}\n\n${given}`);
}
