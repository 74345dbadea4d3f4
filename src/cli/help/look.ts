import type { Io, System } from "../../system/types.ts";

/** How help is laid out. */
export interface HelpLook {
  /** Columns of a line. */
  readonly width: number;
  /** Makes a title bold where the terminal can show it. */
  readonly bold: (text: string) => string;
}

/** Line widths: in a pipe, and the least and the most on a terminal. */
const [defaultWidth, minWidth, maxWidth] = [80, 40, 100];

const plain = (text: string): string => text;

/** On a terminal, as wide as the terminal and with bold titles, unless the environment disables colors. */
export async function helpLook({
  stdout: { isTTY, columns },
  env,
}: {
  readonly stdout: Pick<Io["stdout"], "isTTY" | "columns">;
  readonly env: System["env"];
}): Promise<HelpLook> {
  if (!isTTY) return { width: defaultWidth, bold: plain };
  return {
    width: Math.min(maxWidth, Math.max(minWidth, columns || defaultWidth)),
    bold: !env.NO_COLOR && env.TERM !== "dumb" ? new (await import("chalk")).Chalk({ level: 1 }).bold : plain,
  };
}
