import { UsageError } from "../commands/errors.ts";
import type { Args, CommandSpec, Positional } from "../commands/spec.ts";
import type { Defaults } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { quoted } from "../output/quoted.ts";
import { fieldValue } from "./args.ts";
import { isReplaced, type Missing, missingOf, wordOf } from "./missing.ts";
import { ask, questionFor } from "./question.ts";

interface Asking {
  readonly world: Pick<World, "stdin" | "prompts">;
  /** What is missing is left to the service. */
  readonly incomplete: boolean;
  readonly mayAsk: () => boolean;
  readonly defaults: Defaults;
  /** The command line so far. */
  readonly argv: readonly string[];
  readonly say: (line: string) => void;
}

/**
 * Fills in what is missing: words from a pipe on stdin, the rest by asking where that is allowed, and then says which
 * command line would have needed no question. Throws `UsageError` naming everything that is missing where it is not.
 */
export async function fillIn(spec: CommandSpec, args: Args, asking: Asking): Promise<Args> {
  const { world, incomplete, mayAsk, defaults, argv, say } = asking;
  const piped = await fromStdin(spec, args, world.stdin);
  const missing = incomplete ? [] : missingOf(spec, piped, defaults);
  if (missing.length === 0) return piped;
  if (!mayAsk()) {
    const issues = missing.map(({ flag, text }) => ({ flag, message: `is missing: ${text}` }));
    throw new UsageError(`${missing.map(({ flag }) => flag).join(", ")} missing`, { issues });
  }
  const prompts = await world.prompts();
  const flags: string[] = [];
  const words: string[] = [];
  let filled = piped;
  for (const one of missing) {
    const answer = await ask(await questionFor(one, spec, filled), prompts);
    if (one.positional) words.push(answer);
    else flags.push(one.flag, answer);
    filled = withAnswer(filled, one, answer);
  }
  say(`The same without questions: gpuctl ${wholeLine(argv, flags, words).map(quoted).join(" ")}`);
  return filled;
}

/** A line with more flags and words; after `--` all are words, and a word that looks like a flag needs one before it. */
function wholeLine(
  argv: readonly string[],
  flags: readonly string[],
  words: readonly string[],
): readonly string[] {
  const end = argv.indexOf("--");
  const [before, after] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end)];
  const mark = end < 0 && words.some((word) => word.startsWith("-")) ? ["--"] : [];
  return [...before, ...flags, ...after, ...mark, ...words];
}

async function fromStdin(spec: CommandSpec, args: Args, stdin: World["stdin"]): Promise<Args> {
  const positional = spec.positionals?.find((one) => one.stdin !== undefined);
  if (!positional || stdin.isTTY || isReplaced(positional, args)) return args;
  const typed = wordOf(positional, args);
  if (typed !== undefined && positional.stdin === "instead") return args;
  const text = new TextDecoder().decode(await stdin.read()).replace(/\r?\n$/, "");
  if (text === "") return args;
  return withWord(args, positional, typed === undefined ? text : `${text}\n\n${typed}`);
}

const withWord = (args: Args, { name, field }: Positional, text: string): Args => ({
  ...args,
  words: { ...args.words, [name]: text },
  fields: field === undefined ? args.fields : { ...args.fields, [field]: text },
});

function withAnswer(args: Args, { field, positional, flag }: Missing, answer: string): Args {
  const value = field ? fieldValue(field, answer, flag) : answer;
  return {
    ...args,
    words: positional ? { ...args.words, [positional.name]: answer } : args.words,
    fields: field ? { ...args.fields, [field.name]: value } : args.fields,
  };
}
