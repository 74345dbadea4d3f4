import { usesAscii } from "../core/locale.ts";
import type { Environment } from "../core/urls.ts";
import type { PictureTerminal, Sink } from "./types.ts";

/** Programs that draw pictures with the protocol of kitty, by their `TERM_PROGRAM`. */
const kittyPrograms: readonly string[] = ["kitty", "ghostty"];
/** The same programs by their `TERM`, which SSH passes on. */
const kittyTerms: readonly string[] = ["xterm-kitty", "xterm-ghostty"];
/** Programs that draw pictures with the protocol of iTerm2. */
const iterm2Programs: readonly string[] = ["iTerm.app", "WezTerm"];
/** Programs with 24-bit colors, by their `TERM_PROGRAM`. Most of them, but not all, also set `COLORTERM`. */
const truecolorPrograms: readonly string[] = [...kittyPrograms, ...iterm2Programs, "vscode", "Hyper", "rio"];

export interface PictureTerminalOptions {
  readonly env: Environment;
  readonly platform: string;
  /** Whether colors are on. */
  readonly color: boolean;
}

/**
 * Decides from the environment how a terminal draws pictures: with a graphics protocol if the terminal is known to
 * support one, otherwise with half blocks. If the terminal cannot draw pictures, returns the reason as `problem`.
 */
export function pictureTerminal(
  { isTTY, columns, rows }: Pick<Sink, "isTTY" | "columns" | "rows">,
  { env, platform, color }: PictureTerminalOptions,
): PictureTerminal | { readonly problem: string } {
  if (!isTTY) return { problem: "stderr is not a terminal" };
  if (env.TERM === "dumb") return { problem: "TERM is dumb" };
  const size = { columns: columns || 80, rows: rows || 24 };
  const protocol = protocolOf(env);
  if (protocol) return { draws: protocol, ...size };
  if (usesAscii(env)) return { problem: "the locale is not UTF-8" };
  if (!color) return { problem: "colors are off" };
  const colors = colorsOf(env, platform);
  if (colors === undefined) {
    return { problem: `the terminal is not known to have 256 colors (TERM is ${env.TERM || "not set"})` };
  }
  return { draws: "blocks", colors, ...size };
}

/**
 * Whether the terminal runs a multiplexer. A multiplexer draws its own screen, so it would drop a picture or show its
 * bytes.
 */
const isMultiplexed = ({ TMUX, STY, ZELLIJ, TERM = "" }: Environment): boolean =>
  [TMUX, STY, ZELLIJ].some(Boolean) || /^(?:screen|tmux)/.test(TERM);

/**
 * The graphics protocol that the terminal is known to support. Undefined if there is none, and in a multiplexer. If
 * `TERM_PROGRAM` is set, the other variables that identify a terminal are ignored: in the terminal of an editor, they
 * may come from the terminal in which the editor was started.
 */
function protocolOf(env: Environment): "kitty" | "iterm2" | undefined {
  if (isMultiplexed(env)) return undefined;
  const { TERM = "", TERM_PROGRAM, KITTY_WINDOW_ID, GHOSTTY_RESOURCES_DIR, WEZTERM_PANE, LC_TERMINAL } = env;
  if (TERM_PROGRAM) {
    if (kittyPrograms.includes(TERM_PROGRAM)) return "kitty";
    return iterm2Programs.includes(TERM_PROGRAM) ? "iterm2" : undefined;
  }
  if (kittyTerms.includes(TERM)) return "kitty";
  if (!/^xterm/.test(TERM)) return undefined;
  if (KITTY_WINDOW_ID || GHOSTTY_RESOURCES_DIR) return "kitty";
  return WEZTERM_PANE || LC_TERMINAL === "iTerm2" ? "iterm2" : undefined;
}

function colorsOf(env: Environment, platform: string): "truecolor" | "256" | undefined {
  const { TERM = "", TERM_PROGRAM = "", COLORTERM = "", STY } = env;
  // GNU screen passes COLORTERM on, but misreads 24-bit colors.
  if (STY) return "256";
  if (/^(?:truecolor|24bit)$/i.test(COLORTERM) || platform === "win32") return "truecolor";
  if (!isMultiplexed(env) && (truecolorPrograms.includes(TERM_PROGRAM) || kittyTerms.includes(TERM))) {
    return "truecolor";
  }
  if (/-direct$|^(?:alacritty|foot)/.test(TERM)) return "truecolor";
  return isMultiplexed(env) || /256color/.test(TERM) ? "256" : undefined;
}
