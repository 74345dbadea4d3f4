import type { Values } from "../../command-kit/define.ts";
import type { CommandNode } from "../../command-kit/tree.ts";
import { choicesOf, configKey } from "../../config/keys.ts";
import { checkValue } from "../../config/values.ts";
import { limitsText } from "../../contract/plain/limits-text.ts";
import { reasonOf, UsageError } from "../../core/errors.ts";
import type { Prompts } from "../../system/types.ts";
import { fieldValue } from "../parse/values.ts";
import { contractCheck } from "./check.ts";
import type { Missing } from "./missing.ts";

/** Throws `UsageError` for an invalid answer. */
type Check = (answer: string) => void;

/** Prompts for a missing value until the answer is valid, and returns it as typed. `values` are those known so far. */
export async function ask(
  missing: Missing,
  command: CommandNode,
  values: Values,
  prompts: Prompts,
): Promise<string> {
  const { field, flag, arg, text } = missing;
  const key = arg?.valueOfKey && configKey(String(values.args[arg.valueOfKey.toLowerCase()]));
  const choices = key ? choicesOf(key) : (field?.choices ?? arg?.choices);
  if (choices) {
    const meaning = key ? key.text : (field?.description ?? arg?.text ?? text);
    return prompts.choose({ message: `${meaning} (${flag})`, choices });
  }
  const limits = field && !key ? limitsText(field) : "";
  const message = `${key ? key.text : text}${limits && `, ${limits}`} (${flag})`;
  const check: Check = key ? (answer) => checkValue(key.name, answer) : await fieldCheck(missing, command);
  return prompts.text({ message, validate: (answer) => problem(answer, check) });
}

/** Checks an answer against the contract, as for the flag of the field. */
async function fieldCheck({ field, flag }: Missing, command: CommandNode): Promise<Check> {
  if (!field || command.operation === undefined) return () => {};
  const check = await contractCheck(command.operation);
  return (answer) => {
    const checked = check({ [field.name]: fieldValue(command, field.name, answer, flag) });
    const wrong = checked.ok ? undefined : checked.issues.find(({ path }) => path[0] === field.name);
    if (wrong) throw new UsageError(`${flag} ${wrong.message}`);
  };
}

function problem(answer: string, check: Check): string | undefined {
  if (answer.trim() === "") return "A value is required";
  try {
    check(answer);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
