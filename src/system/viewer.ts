import { UsageError } from "../core/errors.ts";
import type { Environment } from "../core/urls.ts";
import type { Programs, Viewer } from "./types.ts";

export interface ViewerOptions {
  readonly platform: string;
  readonly env: Environment;
  readonly programs: Pick<Programs, "which" | "start">;
}

/** On Linux and Windows, each file opens in a viewer of its own. More viewers than this would fill the screen. */
const maxViewers = 10;

/**
 * Finds the program that opens files with the system's viewer. It must get absolute paths, so that it never treats a
 * path as an option.
 * @throws {UsageError} if there is no such program, or if it is `xdg-open` and there is no display.
 */
export async function findViewer({ platform, env, programs }: ViewerOptions): Promise<Viewer> {
  const { which, start } = programs;
  if (platform === "darwin") {
    const open = await found(["open"], which, "It is a part of macOS: check that /usr/bin is in PATH.");
    return async (paths) => {
      await start(open, paths);
      return paths.length;
    };
  }
  const openOne = platform === "win32" ? await onWindows(which, start) : await onLinux(env, which, start);
  return async (paths) => {
    const opened = paths.slice(0, maxViewers);
    for (const path of opened) await openOne(path);
    return opened.length;
  };
}

type Which = Programs["which"];
type OpenOne = (path: string) => Promise<void>;

/** Passes the path in the environment: if the path were part of the command, PowerShell would run code in the path. */
async function onWindows(which: Which, start: Programs["start"]): Promise<OpenOne> {
  const powershell = await found(["powershell", "pwsh"], which, "Check that PowerShell is in PATH.");
  const command = "Invoke-Item -LiteralPath $env:GPUCTL_OPEN_PATH";
  return (path) =>
    start(powershell, ["-NoProfile", "-NonInteractive", "-Command", command], { GPUCTL_OPEN_PATH: path });
}

async function onLinux(env: Environment, which: Which, start: Programs["start"]): Promise<OpenOne> {
  const isWsl = Boolean(env.WSL_DISTRO_NAME);
  const wslview = isWsl ? await which("wslview") : undefined;
  if (wslview !== undefined) return (path) => start(wslview, [path]);
  const opener = await found(
    ["xdg-open"],
    which,
    isWsl ? "Install wslu (for wslview) or xdg-utils." : "Install xdg-utils, which has xdg-open.",
  );
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) {
    throw new UsageError("--open cannot show an image: there is no display", {
      hint: "DISPLAY and WAYLAND_DISPLAY are not set, as is usual over SSH. Use --preview to draw the image in the terminal.",
    });
  }
  return (path) => start(opener, [path]);
}

async function found(names: readonly string[], which: Which, hint: string): Promise<string> {
  for (const name of names) {
    const path = await which(name);
    if (path !== undefined) return path;
  }
  const missing = names.length === 1 ? "which is not installed" : "but neither is installed";
  throw new UsageError(`--open needs the program ${names.join(" or ")}, ${missing}`, { hint });
}
