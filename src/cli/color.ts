import type { Environment } from "../context/world.ts";

/** Whether text has colours: as the flag says, else as the environment says, else on terminals that have them. */
export function colored(wish: string, terminal: boolean, env: Environment): boolean {
  if (wish !== "auto") return wish === "always";
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return terminal && env.TERM !== "dumb";
}
