import type { Values } from "../../command-kit/define.ts";
import type { CommandNode } from "../../command-kit/tree.ts";
import { choicesOf, configKey } from "../../config/keys.ts";
import { checkValue } from "../../config/values.ts";
import type { Field } from "../../contract/plain/field.ts";
import { limitsText } from "../../contract/plain/limits-text.ts";
import { reasonOf, UsageError } from "../../core/errors.ts";
import type { Prompts } from "../../system/types.ts";
import { fieldValue } from "../parse/values.ts";
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
export async function questionFor(missing: Missing, command: CommandNode, values: Values): Promise<Question> {
  const { field, flag, arg, text } = missing;
  const key = arg?.valueOfKey && configKey(String(values.args[arg.valueOfKey.toLowerCase()]));
  if (key) {
    const check = (answer: string) => checkValue(key.name, answer);
    return { message: `${key.text} (${flag})`, choices: choicesOf(key), check };
  }
  const choices = field?.choices ?? arg?.choices;
  if (choices)
    return {
      message: `${field?.description ?? arg?.text ?? text} (${flag})`,
      choices,
      check: () => {},
    };
  const allowed = field ? limitsText(field) : "";
  return {
    message: `${text}${allowed && `, ${allowed}`} (${flag})`,
    choices,
    check: field ? await limitOf(field, flag, command) : () => {},
  };
}

/** Asks until the answer can be used; gives it as it was typed. */
export function ask({ message, choices, check }: Question, prompts: Prompts): Promise<string> {
  if (choices) return prompts.choose({ message, choices });
  return prompts.text({ message, validate: (answer) => problem(answer, check) });
}

/** The limit that the flag of a field is held to as well. */
async function limitOf(field: Field, flag: string, command: CommandNode): Promise<Question["check"]> {
  if (command.operation === undefined) return () => {};
  const check = await contractCheck(command.operation);
  return (answer) => {
    const checked = check({ [field.name]: fieldValue(command, field.name, answer, flag) });
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
