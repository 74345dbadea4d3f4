import { noStdin } from "../../command-kit/arg.ts";
import type { Values } from "../../command-kit/define.ts";
import { type ArgNode, type CommandNode, kebab } from "../../command-kit/tree.ts";
import { UsageError } from "../../core/errors.ts";
import { sandboxChatModel } from "../../core/sandbox.ts";
import { quoted } from "../../core/text.ts";
import type { Invocation } from "../parse/program.ts";
import { fieldValue } from "../parse/values.ts";
import type { Runtime } from "../start/services.ts";
import { canPrompt } from "./confirm.ts";
import { argumentValue, isReplaced, type Missing, missingInputs } from "./missing.ts";
import { readStdin } from "./stdin.ts";

/**
 * Fills in missing input: an argument from piped stdin, the rest from prompts. After prompting, prints the command line
 * that runs without prompts. With `--no-validate`, nothing is prompted for and the service decides. Throws `UsageError`
 * that lists everything missing when gpuctl cannot prompt.
 */
export async function fillIn(
  { command, argv }: Invocation,
  values: Values,
  runtime: Runtime,
): Promise<Values> {
  const { settings, notes } = runtime;
  const { io } = runtime.system;
  const { sandbox, profileValues } = settings;
  const defaults = sandbox ? { ...profileValues, "chat.model": sandboxChatModel } : profileValues;
  const piped = await fromStdin(command, values, runtime);
  const missing = settings.validate ? missingInputs(command, piped, defaults) : [];
  if (missing.length === 0) return piped;
  if (!canPrompt(settings, io)) {
    throw missingError(missing);
  }
  const [prompts, { ask }] = await Promise.all([io.prompts(), import("./question.ts")]);
  const flags: string[] = [];
  const args: string[] = [];
  let filled = piped;
  for (const item of missing) {
    const answer = await ask(item, command, filled, prompts);
    if (item.arg) args.push(answer);
    else flags.push(item.flag, answer);
    filled = withAnswer(command, filled, item, answer);
  }
  const line = wholeLine(argv, flags, args).map(quoted).join(" ");
  notes.say(`To run this again without prompts: gpuctl ${line}`);
  return filled;
}

/** Says each missing input once: in the message if there is only one, else in a list. */
function missingError(missing: readonly Missing[]): UsageError {
  const message = `missing required input: ${missing.map(({ flag }) => flag).join(", ")}`;
  const [first, ...more] = missing;
  if (first && more.length === 0) return new UsageError(`${message} (${first.text})`);
  return new UsageError(message, { issues: missing.map(({ flag, text }) => ({ flag, message: text })) });
}

/** Adds flags and arguments to a command line: flags go before `--`, and arguments that look like flags after it. */
function wholeLine(
  argv: readonly string[],
  flags: readonly string[],
  args: readonly string[],
): readonly string[] {
  const end = argv.indexOf("--");
  const [before, after] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end)];
  const separator = end < 0 && args.some((one) => one.startsWith("-")) ? ["--"] : [];
  return [...before, ...flags, ...after, ...separator, ...args];
}

async function fromStdin(command: CommandNode, values: Values, runtime: Runtime): Promise<Values> {
  const arg = command.args.find(({ stdin }) => stdin !== undefined);
  const skipped = runtime.system.io.stdin.isTTY || values.flags[noStdin] === true;
  if (!arg || skipped || isReplaced(arg, values)) return values;
  const given = argumentValue(arg, values);
  if (given !== undefined && arg.stdin === "instead") return values;
  const bytes = await readStdin(runtime, `; --${kebab(noStdin)} skips it`);
  const text = new TextDecoder().decode(bytes).replace(/\r?\n$/, "");
  if (text === "") return values;
  return withArgument(values, arg, given === undefined ? text : `${text}\n\n${given}`);
}

const withArgument = (values: Values, { name, field }: ArgNode, value: unknown): Values =>
  field === undefined
    ? { ...values, args: { ...values.args, [name.toLowerCase()]: value } }
    : { ...values, input: { ...values.input, [field]: value } };

function withAnswer(
  command: CommandNode,
  values: Values,
  { field, arg, flag }: Missing,
  answer: string,
): Values {
  if (field) {
    const value = fieldValue(command, field.name, answer, flag);
    return { ...values, input: { ...values.input, [field.name]: value } };
  }
  return arg ? withArgument(values, arg, arg.variadic ? [answer] : answer) : values;
}
