import type { Ports } from "../../command-kit/context.ts";
import { NotPlayed, reasonOf, Unavailable } from "../../core/errors.ts";

interface Player {
  readonly program: string;
  readonly args: (path: string) => readonly string[];
  /** The variable that gets the path, where `args` do not have it. */
  readonly variable?: string;
  /** The extensions that it plays. Default: all that the service returns. */
  readonly plays?: readonly string[];
}

/** In the order of preference. At most one system has each of them. */
const players: readonly Player[] = [
  {
    program: "afplay",
    args: (path) => [path],
    plays: ["wav", "mp3", "aiff", "flac", "m4a", "aac", "caf", "au"],
  },
  { program: "pw-play", args: (path) => [path], plays: ["wav", "mp3", "aiff", "flac", "ogg", "caf", "au"] },
  { program: "paplay", args: (path) => [path], plays: ["wav", "aiff", "flac", "ogg", "caf", "au"] },
  // It plays the bytes of any other file as noise.
  { program: "aplay", args: (path) => ["-q", path], plays: ["wav", "au"] },
  {
    program: "ffplay",
    args: (path) => ["-nodisp", "-autoexit", "-nostats", "-loglevel", "error", path],
  },
  {
    program: "powershell",
    // PowerShell would interpret a path in the command as a part of it, and has several kinds of quotes.
    args: () => [
      "-NoProfile",
      "-NonInteractive",
      "-Command",
      "(New-Object System.Media.SoundPlayer $env:GPUCTL_PLAY_PATH).PlaySync()",
    ],
    variable: "GPUCTL_PLAY_PATH",
    plays: ["wav"],
  },
];

/** The players on this machine. Throws `Unavailable` if there are none. */
export async function installedPlayers({
  which,
}: Pick<Ports["programs"], "which">): Promise<readonly Player[]> {
  const found = await Promise.all(players.map(({ program }) => which(program)));
  const installed = players.filter((_, index) => found[index] !== undefined);
  if (installed.length > 0) return installed;
  throw new Unavailable(
    `--play needs one of ${players.map(({ program }) => program).join(", ")}, and none is in PATH`,
    "Install PipeWire, PulseAudio or ALSA utilities (pw-play, paplay, aplay), or FFmpeg (ffplay). Nothing was sent.",
  );
}

/**
 * Plays a saved recording to its end. Returns why that failed, or undefined. An interruption stops the player, and
 * is reported instead of the failure.
 */
export async function play(
  path: string,
  ext: string,
  installed: readonly Player[],
  { runQuietly }: Pick<Ports["programs"], "runQuietly">,
): Promise<Error | undefined> {
  const player = installed.find(({ plays }) => plays === undefined || plays.includes(ext));
  if (player === undefined) {
    const names = installed.map(({ program }) => program).join(", ");
    return new NotPlayed(`none of the installed players plays ${ext} files: ${names}`);
  }
  try {
    const { program, args, variable } = player;
    const { status, stderr } = await runQuietly(
      program,
      args(path),
      variable === undefined ? {} : { [variable]: path },
    );
    if (status === 0) return undefined;
    const [reason] = stderr.trim().split("\n").slice(-1);
    return new NotPlayed(`${player.program} exited with status ${status}${reason ? `: ${reason}` : ""}`);
  } catch (error) {
    return new NotPlayed(reasonOf(error));
  }
}
