import {
  type CommandNode,
  everywhere,
  type FlagNode,
  globalGroups,
  shownValue,
  spellings,
  textWithNotes,
} from "../../command-kit/tree.ts";
import { globals } from "../generated/tree.ts";
import { drawRows, type Row, titled } from "./layout.ts";
import type { HelpLook } from "./look.ts";

/** A command's flags: the required ones, the optional ones that go into the request, and the rest. */
export function groupedFlags({ flags }: CommandNode) {
  const isSent = ({ field, setsFields }: FlagNode) => field !== undefined || setsFields !== undefined;
  return {
    required: flags.filter(({ required }) => required),
    optional: flags.filter((flag) => !flag.required && isSent(flag)),
    other: flags.filter((flag) => !flag.required && !isSent(flag)),
  };
}

export const flagRow = (flag: FlagNode): Row => [spelled(flag), textWithNotes(flag)];

const spelled = (flag: FlagNode): string =>
  spellings(flag)
    .join(", ")
    .replace(/--([\w-]+), --no-\1/g, "--[no-]$1") + (flag.value ? ` ${shownValue(flag)}` : "");

/** With no-break spaces, so that a flag stays on one line. */
const unbroken = (flag: FlagNode): string => spelled(flag).replaceAll(" ", "\u00a0");

/** The global flags by heading, without empty headings. */
export function groupedGlobals(): readonly (readonly [group: string, flags: readonly FlagNode[]])[] {
  return globalGroups
    .map((group) => {
      const flags = globals.filter((flag) => flag.group === group);
      return [group, group === "Other" ? [...flags, ...everywhere] : flags] as const;
    })
    .filter(([, flags]) => flags.length > 0);
}

/** The global flags by name only, for the help of a command. */
export const globalNames = (look: HelpLook): readonly string[] =>
  titled(
    "Global flags (see `gpuctl help`)",
    drawRows(
      groupedGlobals().map(([group, flags]): Row => [group, flags.map(unbroken).join("; ")]),
      look,
    ).map((line) => line.replaceAll("\u00a0", " ")),
    look,
  );
