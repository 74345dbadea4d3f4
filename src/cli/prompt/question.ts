import type { Estimate, Values } from "../../command-kit/define.ts";
import type { CommandNode, FlagNode } from "../../command-kit/tree.ts";
import { parseValue } from "../../command-kit/values.ts";
import { choicesOf, configKey } from "../../config/keys.ts";
import { checkValue } from "../../config/values.ts";
import type { Field } from "../../contract/plain/field.ts";
import { limitsText } from "../../contract/plain/limits-text.ts";
import { reasonOf, UsageError } from "../../core/errors.ts";
import type { Prompts } from "../../system/types.ts";
import { flagValue } from "../parse/options.ts";
import { fieldValue } from "../parse/values.ts";
import { contractCheck } from "./check.ts";
import type { LiveChoices } from "./live.ts";
import type { Missing } from "./missing.ts";

/** Throws `UsageError` for an invalid answer. */
type Check = (answer: string) => void;

export interface AskOptions {
  readonly prompts: Prompts;
  /** The live values to choose from. May be empty. */
  readonly live: () => Promise<LiveChoices>;
  readonly estimate?: (key: string) => Promise<Estimate | undefined>;
}

/** The choice for typing a value that is not among the live values. */
const other = "";

/**
 * Prompts for a missing value until the answer is valid, and returns it as typed. `values` are the values known so far.
 */
export async function ask(
  missing: Missing,
  command: CommandNode,
  values: Values,
  { prompts, live, estimate }: AskOptions,
): Promise<string> {
  const { field, flag, arg, text, own, completes } = missing;
  if (completes) {
    const { choices, labels } = await live();
    if (choices.length > 0) {
      const message = `${text} (${flag})`;
      const chosen = await prompts.choose({
        message,
        choices: [...choices, other],
        labels: { ...labels, [other]: "Type another one" },
        always: other,
      });
      if (chosen !== other) return chosen;
    }
  }
  const key = arg?.valueOfKey && configKey(String(values.args[arg.valueOfKey.toLowerCase()]));
  const choices = key ? choicesOf(key) : (field?.choices ?? arg?.choices);
  if (choices) {
    const meaning = key ? key.text : (field?.description ?? arg?.text ?? text);
    const initial = field?.default === undefined ? undefined : String(field.default);
    return prompts.choose({ message: `${meaning} (${flag})`, choices, initial });
  }
  if (own) return askOwn(missing, own, command, { prompts, ...(estimate && { estimate }) });
  const limits = field && !key ? limitsOf(field) : "";
  const message = `${key ? key.text : text}${limits && `, ${limits}`} (${flag})`;
  const check: Check = key ? (answer) => checkValue(key.name, answer) : await fieldCheck(missing, command);
  return prompts.text({ message, validate: (answer) => problem(answer, check) });
}

/**
 * A field's limits in words. Leaves out the pattern, because the field's description already says what the field
 * accepts. For a list, only says how to type several items.
 */
const limitsOf = ({ pattern: _, ...field }: Field): string =>
  field.kind === "list" ? "separated by commas" : limitsText(field);

/** Asks for a field through the command's own flag for it, and suggests an estimate if there is one. */
async function askOwn(
  missing: Missing,
  own: FlagNode,
  command: CommandNode,
  { prompts, estimate }: Pick<AskOptions, "prompts" | "estimate">,
): Promise<string> {
  const { flag, text } = missing;
  const suggested = own.key === undefined ? undefined : await estimate?.(own.key);
  const basis = suggested ? `; the default is an estimate from ${suggested.basis}` : "";
  const checkField = await fieldCheck(missing, command);
  const check: Check = (answer) => checkField(String(flagValue(own, answer, flag, false)));
  return prompts.text({
    message: `${text}${basis} (${flag})`,
    initial: suggested?.answer,
    validate: (answer) => problem(answer, check),
  });
}

/** Returns a function that checks an answer with the same rules as for the flag of the field, or for the argument. */
async function fieldCheck({ field, flag, arg }: Missing, command: CommandNode): Promise<Check> {
  if (arg && !field) return (answer) => void parseValue(arg, answer, arg.name);
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
