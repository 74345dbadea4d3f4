import { type CommandFlag, flagsOf } from "../commands/flags.ts";
import { type GlobalFlag, globalGroups } from "../commands/global-flag.ts";
import {
  everywhere,
  type ShownFlag,
  shownGlobal,
  shownValue,
  textWithNotes,
} from "../commands/shown-flag.ts";
import type { CommandSpec } from "../commands/spec.ts";
import { globalFlags } from "./globals.ts";
import { drawRows, type Row, titled } from "./help-layout.ts";
import type { HelpLook } from "./help-look.ts";

/** A command's flags: those it cannot run without, those that go into the request, those that change what it does. */
export function groupedFlags(spec: CommandSpec) {
  const flags = flagsOf(spec);
  const gives = new Set(spec.flags?.filter((flag) => flag.gives).map(({ names }) => names[0]));
  const required = flags.filter(isRequired(spec));
  const sent = flags.filter(
    (flag) => !required.includes(flag) && (flag.field !== undefined || gives.has(flag.names[0])),
  );
  return {
    required,
    optional: sent,
    other: flags.filter((flag) => !required.includes(flag) && !sent.includes(flag)),
  };
}

/** A flag without which the command cannot run. */
const isRequired =
  (spec: CommandSpec) =>
  ({ field }: CommandFlag): boolean =>
    field?.required === true &&
    !(field.name in (spec.found ?? {})) &&
    !spec.positionals?.some((positional) => positional.field === field.name);

/** A flag's line. */
export const flagRow = (flag: ShownFlag): Row => [spelt(flag), textWithNotes(flag)];

const spelt = (flag: ShownFlag): string =>
  flag.names.join(", ").replace(/--([\w-]+), --no-\1/g, "--[no-]$1") +
  (flag.value ? ` ${shownValue(flag)}` : "");

/** With blanks at which no line ends. */
const unbroken = (flag: ShownFlag): string => spelt(flag).replaceAll(" ", "\u00a0");

/** The flags that every command takes, under their headings; empty headings are left out. */
export function groupedGlobals(): readonly (readonly [group: string, flags: readonly ShownFlag[]])[] {
  const all: readonly GlobalFlag[] = globalFlags;
  return globalGroups
    .map((group) => {
      const flags = all.filter((flag) => flag.group === group).map(shownGlobal);
      return [group, group === "Other" ? [...flags, ...everywhere] : flags] as const;
    })
    .filter(([, flags]) => flags.length > 0);
}

/** The same by name alone, where they are not what is asked about. */
export const globalNames = (look: HelpLook): readonly string[] =>
  titled(
    "Global flags (see `gpuctl help`)",
    drawRows(
      groupedGlobals().map(([group, flags]): Row => [group, flags.map(unbroken).join("; ")]),
      look,
    ).map((line) => line.replaceAll("\u00a0", " ")),
    look,
  );
