import type { World } from "../context/world.ts";

/** How help is laid out. */
export interface HelpLook {
  /** Columns of a line. */
  readonly width: number;
  readonly bold: boolean;
}

/** Lines in a pipe, and on a terminal at least and at most, however wide it is. */
const [usual, narrowest, widest] = [80, 40, 100];

/** As wide as the terminal, and bold there, unless the environment wants no colours. */
export function helpLook({
  stdout: { isTTY, columns },
  env,
}: {
  readonly stdout: Pick<World["stdout"], "isTTY" | "columns">;
  readonly env: World["env"];
}): HelpLook {
  if (!isTTY) return { width: usual, bold: false };
  return {
    width: Math.min(widest, Math.max(narrowest, columns || usual)),
    bold: !env.NO_COLOR && env.TERM !== "dumb",
  };
}
