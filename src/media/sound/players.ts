/** A program that plays a file. */
export interface Player {
  readonly program: string;
  readonly args: (path: string) => readonly string[];
  /** The environment variable for the path, if `args` do not contain the path. */
  readonly variable?: string;
  /** The extensions that it plays. Default: all that the service returns. */
  readonly plays?: readonly string[];
}

/** The programs that play speech, in order of preference. No system has all of them. */
export const players: readonly Player[] = [
  {
    program: "afplay",
    args: (path) => [path],
    plays: ["wav", "mp3", "aiff", "flac", "m4a", "aac", "caf", "au"],
  },
  { program: "pw-play", args: (path) => [path], plays: ["wav", "mp3", "aiff", "flac", "ogg", "caf", "au"] },
  { program: "paplay", args: (path) => [path], plays: ["wav", "aiff", "flac", "ogg", "caf", "au"] },
  // aplay plays any other file as noise.
  { program: "aplay", args: (path) => ["-q", path], plays: ["wav", "au"] },
  {
    program: "ffplay",
    args: (path) => ["-nodisp", "-autoexit", "-nostats", "-loglevel", "error", path],
  },
  {
    program: "powershell",
    // The path is in a variable, because PowerShell would interpret a path in the command.
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

/** What to do if there is no player. macOS and Windows come with one. */
export const installPlayer =
  "Install PipeWire, PulseAudio or ALSA utilities (pw-play, paplay, aplay), or FFmpeg (ffplay).";
