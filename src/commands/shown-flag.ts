import { keyOfFlag } from "./config/keys.ts";
import { flagNotes, keyNote, present } from "./flag-notes.ts";
import type { CommandFlag } from "./flags.ts";
import type { GlobalFlag } from "./global-flag.ts";
import type { CommandSpec, LiveValue } from "./spec.ts";

/** A flag as help, manual and completions show it. */
export interface ShownFlag {
  /** Every spelling with its dashes, the short one first. */
  readonly names: readonly string[];
  readonly value?: string;
  /** It may stand without its value. */
  readonly bare?: boolean;
  readonly text: string;
  readonly choices: readonly string[];
  readonly completes?: LiveValue;
  /** Limits, default and variable, in words. */
  readonly notes: readonly string[];
  readonly repeat: boolean;
}

/** What every command takes beside the global flags. */
export const everywhere: readonly ShownFlag[] = [
  { names: ["-V", "--version"], text: "Print the version", choices: [], notes: [], repeat: false },
  { names: ["-h", "--help"], text: "Show help", choices: [], notes: [], repeat: false },
];

export const shownGlobals = (globals: readonly GlobalFlag[]): readonly ShownFlag[] => [
  ...globals.map(shownGlobal),
  ...everywhere,
];

export function shownGlobal({
  name,
  short,
  value,
  text,
  choices,
  env,
  negative,
  default: usual,
  completes,
}: GlobalFlag): ShownFlag {
  return {
    names: [...(short ? [`-${short}`] : []), `--${negative ? "no-" : ""}${name}`],
    ...(value && { value }),
    text,
    choices: choices ?? [],
    ...(completes && { completes }),
    notes: present([
      choices && `one of ${choices.join(", ")}`,
      usual && `default ${usual}`,
      env,
      keyNote(keyOfFlag("global", name)),
    ]),
    repeat: false,
  };
}

export const shownFlag =
  (spec: CommandSpec) =>
  (flag: CommandFlag): ShownFlag => ({
    names: [
      ...(flag.short ? [`-${flag.short}`] : []),
      ...flag.names.flatMap((name) => (flag.negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`])),
    ],
    ...(flag.value && { value: flag.value }),
    ...(flag.bare && { bare: true }),
    text: flag.text,
    choices: flag.choices ?? [],
    ...(flag.completes && { completes: flag.completes }),
    notes: flagNotes(spec, flag),
    repeat: flag.repeat ?? false,
  });

/** The value of a flag as it is shown, in brackets where it may be left out; nothing for a switch. */
export const shownValue = ({ value, bare }: Pick<ShownFlag, "value" | "bare">): string | undefined =>
  bare ? `[${value}]` : value;

/** A flag's text with its notes. */
export const textWithNotes = ({ text, notes }: Pick<ShownFlag, "text" | "notes">): string =>
  notes.length > 0 ? `${text} (${notes.join("; ")})` : text;
