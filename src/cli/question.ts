import { choicesOf, configKey } from "../commands/config/keys.ts";
import { reasonOf, UsageError } from "../commands/errors.ts";
import { limitsText } from "../commands/limits.ts";
import type { Args, CommandSpec } from "../commands/spec.ts";
import type { Prompts } from "../context/world.ts";
import type { Field } from "../contract/field.ts";
import { fieldValue } from "./args.ts";
import { checkValue } from "./config/rules.ts";
import { contractCheck } from "./contract-check.ts";
import type { Missing } from "./missing.ts";

/** How a missing value is asked for: one of its choices where it has some, else a text that is held to its rule. */
interface Question {
  readonly message: string;
  readonly choices: readonly string[] | undefined;
  /** Throws `UsageError` for a text that cannot be the value. */
  readonly check: (text: string) => void;
}

/** The question for what a command lacks; `args` are what it has by now. */
export async function questionFor(missing: Missing, spec: CommandSpec, args: Args): Promise<Question> {
  const { field, flag, positional, text } = missing;
  const key = positional?.keptUnder && configKey(String(args.words[positional.keptUnder]));
  if (key) {
    const check = (answer: string) => checkValue(key.name, answer);
    return { message: `${key.text} (${flag})`, choices: choicesOf(key), check };
  }
  const choices = field?.choices ?? positional?.choices;
  if (choices)
    return {
      message: `${field?.description ?? positional?.text ?? text} (${flag})`,
      choices,
      check: () => {},
    };
  const allowed = field ? limitsText(field) : "";
  return {
    message: `${text}${allowed && `, ${allowed}`} (${flag})`,
    choices,
    check: field ? await limitOf(field, flag, spec) : () => {},
  };
}

/** Asks until the answer can be used; gives it as it was typed. */
export function ask({ message, choices, check }: Question, prompts: Prompts): Promise<string> {
  if (choices) return prompts.choose({ message, choices });
  return prompts.text({ message, validate: (answer) => problem(answer, check) });
}

/** The limit that the flag of a field is held to as well. */
async function limitOf(
  field: Field,
  flag: string,
  { operations: [main] }: CommandSpec,
): Promise<Question["check"]> {
  if (main === undefined) return () => {};
  const check = await contractCheck(main);
  return (answer) => {
    const checked = check({ [field.name]: fieldValue(field, answer, flag) });
    const wrong = checked.ok ? undefined : checked.issues.find(({ path }) => path[0] === field.name);
    if (wrong) throw new UsageError(`${flag} ${wrong.message}`);
  };
}

function problem(answer: string, check: Question["check"]): string | undefined {
  if (answer.trim() === "") return "An answer is needed";
  try {
    check(answer);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
