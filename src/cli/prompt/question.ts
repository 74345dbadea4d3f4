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

/** A prompt for a missing value: a list of choices, else a text that is checked. */
interface Question {
  readonly message: string;
  readonly choices: readonly string[] | undefined;
  /** Throws `UsageError` for an invalid text. */
  readonly check: (text: string) => void;
}

/** The prompt for a missing value, given the values so far. */
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
    check: field ? await contractLimit(field, flag, command) : () => {},
  };
}

/** Prompts until the answer is valid, and returns it as typed. */
export function ask({ message, choices, check }: Question, prompts: Prompts): Promise<string> {
  if (choices) return prompts.choose({ message, choices });
  return prompts.text({ message, validate: (answer) => problem(answer, check) });
}

/** Checks an answer against the contract, as for the flag of the field. */
async function contractLimit(field: Field, flag: string, command: CommandNode): Promise<Question["check"]> {
  if (command.operation === undefined) return () => {};
  const check = await contractCheck(command.operation);
  return (answer) => {
    const checked = check({ [field.name]: fieldValue(command, field.name, answer, flag) });
    const wrong = checked.ok ? undefined : checked.issues.find(({ path }) => path[0] === field.name);
    if (wrong) throw new UsageError(`${flag} ${wrong.message}`);
  };
}

function problem(answer: string, check: Question["check"]): string | undefined {
  if (answer.trim() === "") return "A value is required";
  try {
    check(answer);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
