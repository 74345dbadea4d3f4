import type { LiveValue } from "./spec.ts";

/** A flag that every command takes: one entry for the flag and the variable. */
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
  readonly group: GlobalGroup;
  readonly completes?: LiveValue;
}

/** Under which heading help shows a flag that every command takes. */
export type GlobalGroup = (typeof globalGroups)[number];
export const globalGroups = ["Output", "Questions", "Service", "Other"] as const;
