import type { Ports } from "../../command-kit/context.ts";
import { NotPlayed, reasonOf, Unavailable } from "../../core/errors.ts";
import { sniffFile } from "../../media/sniff.ts";
import { installPlayer, type Player, players } from "../../media/sound/players.ts";

/** Returns the players that are installed on this machine. Throws `Unavailable` if there are none. */
export async function installedPlayers({
  which,
}: Pick<Ports["programs"], "which">): Promise<readonly Player[]> {
  const found = await Promise.all(players.map(({ program }) => which(program)));
  const installed = players.filter((_, index) => found[index] !== undefined);
  if (installed.length > 0) return installed;
  throw new Unavailable(
    `--play needs one of ${players.map(({ program }) => program).join(", ")}, and none is in PATH`,
    `${installPlayer} Nothing was sent.`,
  );
}

/**
 * Plays a saved recording to its end. Returns the error if that fails. If the user interrupts, the player stops, and
 * gpuctl reports the interruption instead of the returned error.
 */
export async function play(
  path: string,
  installed: readonly Player[],
  { runQuietly }: Pick<Ports["programs"], "runQuietly">,
): Promise<Error | undefined> {
  // The file must contain audio: a player would fetch the URLs in a playlist.
  const type = await sniffFile(path).catch(() => undefined);
  if (type?.kind !== "audio") return new NotPlayed("the saved file is not audio of a known type");
  const { ext } = type;
  const player = installed.find(({ plays }) => plays === undefined || plays.includes(ext));
  if (player === undefined) {
    const names = installed.map(({ program }) => program).join(", ");
    return new NotPlayed(`none of the installed players (${names}) plays ${ext} files`);
  }
  try {
    const { program, args, variable } = player;
    const { status, stderr } = await runQuietly(
      program,
      args(path),
      variable === undefined ? {} : { [variable]: path },
    );
    if (status === 0) return undefined;
    const reason = (stderr.trim().split("\n").at(-1) ?? "").slice(0, maxReason);
    return new NotPlayed(`${player.program} exited with status ${status}${reason && `: ${reason}`}`);
  } catch (error) {
    return new NotPlayed(reasonOf(error));
  }
}

/** How many characters of a player's error are shown. A player may print a whole file on one line. */
const maxReason = 300;
