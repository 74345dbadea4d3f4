import type { Io, System } from "../../system/types.ts";

/** How help is laid out. */
export interface HelpLook {
  /** Columns of a line. */
  readonly width: number;
  /** Makes a title bold where the terminal can show it. */
  readonly bold: (text: string) => string;
}

/** Lines in a pipe, and on a terminal at least and at most, however wide it is. */
const [usual, narrowest, widest] = [80, 40, 100];

const plain = (text: string): string => text;

/** As wide as the terminal, and bold there, unless the environment wants no colours. */
export async function helpLook({
  stdout: { isTTY, columns },
  env,
}: {
  readonly stdout: Pick<Io["stdout"], "isTTY" | "columns">;
  readonly env: System["env"];
}): Promise<HelpLook> {
  if (!isTTY) return { width: usual, bold: plain };
  return {
    width: Math.min(widest, Math.max(narrowest, columns || usual)),
    bold: !env.NO_COLOR && env.TERM !== "dumb" ? new (await import("chalk")).Chalk({ level: 1 }).bold : plain,
  };
}
