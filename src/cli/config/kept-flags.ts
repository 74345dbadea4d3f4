import { keyOfField } from "../../commands/config/keys.ts";
import { UsageError } from "../../commands/errors.ts";
import { fieldsOf, kebab } from "../../commands/flags.ts";
import type { Field } from "../../contract/field.ts";
import type { Invocation } from "../program.ts";
import type { Settings } from "../settings.ts";

/**
 * A command line with what the profile keeps for fields that were not typed, as if it had been. Throws `UsageError` for
 * a value that suits another command but not this one: no other takes its place unseen.
 */
export function withKept(
  invocation: Invocation,
  { kept, profile, validate }: Pick<Settings, "kept" | "profile" | "validate">,
): Invocation {
  const { spec, flags } = invocation;
  const more = fieldsOf(spec).flatMap((field) => {
    const { name } = field;
    const key = name in (spec.found ?? {}) ? undefined : keyOfField(spec.operations[0], name);
    const value = key && kept[key];
    if (value === undefined || kebab(name) in flags) return [];
    const source = `${key} of profile "${profile}"`;
    if (validate) assertSuits(field, value, source);
    return [[kebab(name), { value, name: source }] as const];
  });
  return more.length === 0 ? invocation : { ...invocation, flags: { ...Object.fromEntries(more), ...flags } };
}

function assertSuits({ name, choices }: Field, value: string, source: string): void {
  if (choices === undefined || choices.includes(value)) return;
  throw new UsageError(`${source} must be one of ${choices.join(", ")}, not ${JSON.stringify(value)}`, {
    hint: `--${kebab(name)} gives another one for this command. Nothing was sent.`,
  });
}
