import type { CommandFlag } from "../commands/flags.ts";
import { limitsText } from "../commands/limits.ts";

/** A flag that every command takes. */
export interface GlobalFlag {
  readonly name: string;
  readonly short?: string;
  /** What stands for the value; a flag without it is a switch. */
  readonly value?: string;
  readonly text: string;
  readonly choices?: readonly string[];
  /** The environment variable that stands in for it. */
  readonly env?: string;
  /** The switch turns something off: `--no-NAME`. */
  readonly negative?: true;
  readonly default?: string;
}

/** A flag as the manual and the completions show it. */
export interface ShownFlag {
  /** Every spelling with its dashes, the short one first. */
  readonly names: readonly string[];
  readonly value?: string;
  readonly text: string;
  readonly choices: readonly string[];
  /** Limits, default and variable, in words. */
  readonly notes: readonly string[];
  readonly repeat: boolean;
}

/** What every command takes beside the global flags. */
const everywhere: readonly ShownFlag[] = [
  { names: ["-V", "--version"], text: "Print the version", choices: [], notes: [], repeat: false },
  { names: ["-h", "--help"], text: "Show help", choices: [], notes: [], repeat: false },
];

export const shownGlobals = (globals: readonly GlobalFlag[]): readonly ShownFlag[] => [
  ...globals.map(shownGlobal),
  ...everywhere,
];

function shownGlobal({
  name,
  short,
  value,
  text,
  choices,
  env,
  negative,
  default: usual,
}: GlobalFlag): ShownFlag {
  return {
    names: [...(short ? [`-${short}`] : []), `--${negative ? "no-" : ""}${name}`],
    ...(value && { value }),
    text,
    choices: choices ?? [],
    notes: present([choices && `one of ${choices.join(", ")}`, usual && `default ${usual}`, env]),
    repeat: false,
  };
}

export function shownFlag(flag: CommandFlag): ShownFlag {
  const { names, short, value, text, choices, negatable, repeat = false, default: usual } = flag;
  const dashed = names.flatMap((name) => (negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`]));
  return {
    names: [...(short ? [`-${short}`] : []), ...dashed],
    ...(value && { value }),
    text,
    choices: choices ?? [],
    notes: present([
      choices && `one of ${choices.join(", ")}`,
      flag.field && limitsText(flag.field),
      usual !== undefined && `default ${usual}`,
      repeat && (flag.field ? "repeat or use commas" : "may be repeated"),
    ]),
    repeat,
  };
}

const present = (notes: readonly (string | false | undefined)[]): readonly string[] =>
  notes.filter((note): note is string => typeof note === "string" && note !== "");
