import { openTerminal, type Started, type Terminal } from "../support/terminal.ts";
import { words } from "../support/words.ts";
import { type Environment, type Home, launcher } from "./command.ts";

interface Options extends Pick<Started, "columns" | "rows"> {
  readonly env?: Environment;
}

/** Runs the built command on a terminal of its own. */
export const onTerminal = (
  line: string,
  { folder, env }: Pick<Home, "folder" | "env">,
  { env: more, ...size }: Options = {},
): Terminal =>
  openTerminal({
    program: process.execPath,
    args: [launcher, ...words(line)],
    cwd: folder,
    env: { ...env, ...more },
    ...size,
  });
