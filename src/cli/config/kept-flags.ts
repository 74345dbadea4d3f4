import { keyOfField } from "../../commands/config/keys.ts";
import { fieldsOf, kebab } from "../../commands/flags.ts";
import type { Invocation } from "../program.ts";
import type { Settings } from "../settings.ts";

/** A command line with what the profile keeps for fields that were not typed, as if it had been. */
export function withKept(
  invocation: Invocation,
  { kept, profile }: Pick<Settings, "kept" | "profile">,
): Invocation {
  const { spec, flags } = invocation;
  const more = fieldsOf(spec).flatMap(({ name }) => {
    const key = name in (spec.found ?? {}) ? undefined : keyOfField(spec.operations[0], name);
    const value = key && kept[key];
    return value === undefined
      ? []
      : [[kebab(name), { value, name: `${key} of profile "${profile}"` }] as const];
  });
  return more.length === 0 ? invocation : { ...invocation, flags: { ...Object.fromEntries(more), ...flags } };
}
