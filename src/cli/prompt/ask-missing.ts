import type { Context } from "../../command-kit/context.ts";
import type { Command, Offer, Values } from "../../command-kit/define.ts";
import type { CommandNode } from "../../command-kit/tree.ts";
import { parseValue } from "../../command-kit/values.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { Field } from "../../contract/plain/field.ts";
import { reasonOf } from "../../core/errors.ts";
import type { Prompts } from "../../system/types.ts";
import { flagValue } from "../parse/options.ts";
import { fieldValue } from "../parse/values.ts";
import type { Runtime } from "../start/services.ts";
import { type LiveChoices, liveChoices, liveRecords, type PortsFor } from "./live.ts";
import { type Missing, missingField, withArgument } from "./missing.ts";
import { ask } from "./question.ts";

export interface Options {
  readonly node: CommandNode;
  readonly command: Command;
  readonly context: Context;
  readonly portsFor: PortsFor;
  readonly runtime: Runtime;
}

/** The values so far, and the flags and arguments that set the prompted values. */
export interface Answered {
  readonly values: Values;
  readonly flags: readonly string[];
  readonly args: readonly string[];
}

/**
 * Prompts for the missing values. If the command has offers, the first prompt lets the user choose one of them, which
 * may set several values. Then come prompts for the values that `missing` still returns, and for the optional fields in
 * `alsoAsks`.
 */
export async function askMissing(
  values: Values,
  missing: (values: Values) => readonly Missing[],
  options: Options,
): Promise<Answered> {
  const prompts = await options.runtime.system.io.prompts();
  let answered = await askOffer({ values, flags: [], args: [] }, prompts, options);
  for (const one of missing(answered.values)) {
    const answer = await ask(one, options.node, answered.values, {
      prompts,
      live: () => liveFor(one, options),
      estimate: (key) => estimateFor(key, answered.values, options),
    });
    answered = withAnswer(answered, one, answer, options);
  }
  for (const one of alsoAsked(answered.values, options)) {
    const { choices, labels } = await liveFor(one, options);
    if (choices.length === 0) continue;
    const message = `${one.text} (${one.flag})`;
    const all = { choices: [...choices, none], labels: { ...labels, [none]: "None" }, always: none };
    const answer = await prompts.choose({ message, ...all });
    if (answer !== none) answered = withAnswer(answered, one, answer, options);
  }
  return answered;
}

/** The choice for no value. */
const none = "";
/** The choice for none of the offers. */
const manual = "";

/**
 * Lets the user choose one of the command's offers. If the user prefers to enter the values, prompts for each field
 * that an offer would set and that has no value yet.
 */
async function askOffer(before: Answered, prompts: Prompts, options: Options): Promise<Answered> {
  const { node } = options;
  const offers = await offersFor(before.values, options);
  if (offers.length === 0) return before;
  const choices = offers.map((_, at) => String(at));
  const labels = Object.fromEntries(offers.map(({ label }, at) => [String(at), label]));
  const chosen = await prompts.choose({
    message: "What to rent? On-demand prices, cheapest first",
    always: manual,
    choices: [manual, ...choices],
    labels: { ...labels, [manual]: "Enter the values manually" },
    initial: choices[0],
  });
  const names = [...new Set(offers.flatMap(({ input }) => Object.keys(input)))];
  const open = names
    .filter((name) => !(name in before.values.input))
    .flatMap((name) => fieldsOf(node).filter((field) => field.name === name));
  let answered = before;
  for (const field of open) {
    const one = missingField(field, node);
    const offered = offers[Number(chosen)]?.input[field.name];
    if (chosen !== manual && offered === undefined) continue;
    const answer =
      chosen === manual
        ? await ask(one, node, answered.values, { prompts, live: () => liveFor(one, options) })
        : String(offered);
    answered = withAnswer(answered, one, answer, options);
  }
  return answered;
}

const fieldsOf = ({ operation }: CommandNode): readonly Field[] =>
  operation === undefined ? [] : routes[operation].fields;

/** The optional fields that the command asks for and that have no value yet. */
const alsoAsked = ({ input }: Values, { node, command }: Options): readonly Missing[] =>
  fieldsOf(node)
    .filter(({ name }) => command.alsoAsks?.includes(name) && !(name in input))
    .map((field) => missingField(field, node));

/** The command's offers. Empty in a dry run, which sends no requests, and if the request fails. */
async function offersFor(values: Values, { command, context, portsFor }: Options): Promise<readonly Offer[]> {
  const { offers } = command;
  if (offers === undefined || context.settings.dryRun) return [];
  const input = { ...context, ...(await portsFor(command)), ...values };
  return orNone("list what the service offers", context, () =>
    context.progress("Requesting what the service offers", () => offers(input)),
  );
}

async function estimateFor(key: string, values: Values, { command, context, portsFor }: Options) {
  const { estimate } = command;
  if (estimate === undefined || context.settings.dryRun) return undefined;
  const input = { ...context, ...(await portsFor(command)), ...values };
  const [found] = await orNone("make an estimate", context, async () => [await estimate(key, input)]);
  return found;
}

const noChoices: LiveChoices = { choices: [], labels: {} };

/**
 * The live values to choose from. Empty in a dry run, and if the request fails. Reports a failed request on stderr and,
 * except for an optional flag, also an empty list.
 */
async function liveFor(missing: Missing, { context, portsFor, runtime }: Options): Promise<LiveChoices> {
  const { completes: kind, arg } = missing;
  if (kind === undefined || context.settings.dryRun) return noChoices;
  const [live] = await orNone(`list the choices for ${missing.flag}`, context, async () => [
    await context.progress("Listing the choices", () => liveRecords(kind, context, portsFor)),
  ]);
  if (live === undefined) return noChoices;
  const { columns: width } = runtime.system.io.stderr;
  const only = arg?.offersOnly;
  const found = liveChoices(live, { only, width, terminal: true, now: context.serviceNow() });
  if (found.choices.length === 0 && (arg || missing.field?.required)) {
    context.say(
      only === undefined || live.records.length === 0
        ? live.view.empty
        : `None of your ${kind}s is ${only.text}. ${only.otherwise}`,
    );
  }
  return found;
}

/**
 * Runs a lookup that helps the user to answer a prompt. If the lookup fails, returns an empty list and says on stderr
 * that gpuctl cannot do `what`. Throws if the user has interrupted gpuctl.
 */
async function orNone<Value>(
  what: string,
  { say, interrupted }: Pick<Context, "say" | "interrupted">,
  work: () => Promise<readonly Value[]>,
): Promise<readonly Value[]> {
  try {
    return await work();
  } catch (error) {
    interrupted.throwIfAborted();
    say(`Cannot ${what}: ${reasonOf(error)}.`);
    return [];
  }
}

function withAnswer(
  { values, flags, args }: Answered,
  { field, arg, flag, own }: Missing,
  answer: string,
  { node }: Pick<Options, "node">,
): Answered {
  if (arg) {
    const words = arg.isCommandLine && /\s/.test(answer) ? ["sh", "-c", answer] : [answer];
    const value = field ? fieldValue(node, field.name, answer, flag) : parseValue(arg, answer, arg.name);
    const whole = arg.variadic && !Array.isArray(value) ? words : value;
    return { values: withArgument(values, arg, whole), flags, args: [...args, ...words] };
  }
  const more = [...flags, flag, answer];
  if (own?.key !== undefined) {
    const value = flagValue(own, answer, flag, false);
    return { values: { ...values, flags: { ...values.flags, [own.key]: value } }, flags: more, args };
  }
  const name = field?.name ?? "";
  const value = fieldValue(node, name, answer, flag);
  return { values: { ...values, input: { ...values.input, [name]: value } }, flags: more, args };
}
