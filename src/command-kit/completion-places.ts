import { access } from "node:fs/promises";
import { join } from "node:path";
import { xdgFolder } from "../core/files.ts";
import type { Shell } from "../core/runtime/shells.ts";
import type { Environment } from "../core/urls.ts";
import type { Programs } from "../system/types.ts";

/** Where the completion script of a shell is kept, and how the shell is made to load it. */
export interface CompletionPlace {
  readonly path: string;
  /** The file that the shell runs when it starts. */
  readonly startupFile: string;
  /** The lines of the startup file that load the script, if the shell does not find it by itself. */
  readonly lines: readonly string[];
}

/** The user of the shell. */
interface ShellUser extends Pick<Programs, "capture"> {
  readonly home: string;
  readonly env: Environment;
  readonly platform: string;
}

/** How long a shell may take, in milliseconds. */
const timeout = 5_000;

/** The place of the completion script for a shell. */
export async function completionPlace(shell: Shell, user: ShellUser): Promise<CompletionPlace> {
  const { env, home, platform } = user;
  const config = xdgFolder(env.XDG_CONFIG_HOME, join(home, ".config"));
  switch (shell) {
    case "bash": {
      const data = xdgFolder(env.XDG_DATA_HOME, join(home, ".local", "share"));
      const folder = env.BASH_COMPLETION_USER_DIR || join(data, "bash-completion");
      const path = join(folder, "completions", "gpuctl");
      const startupFile = join(home, startsLoginShells(platform) ? await loginFile(home) : ".bashrc");
      return { path, startupFile, lines: [`[ -f ${quoted(path)} ] && . ${quoted(path)}`] };
    }
    case "fish": {
      const path = join(config, "fish", "completions", "gpuctl.fish");
      const lines = [`test -f ${quoted(path)}; and source ${quoted(path)}`];
      return { path, startupFile: join(config, "fish", "config.fish"), lines };
    }
    case "zsh":
      return zshPlace(user);
    case "powershell": {
      const folder = join(config, "powershell");
      const path = join(folder, "gpuctl.ps1");
      const startupFile = join(folder, "Microsoft.PowerShell_profile.ps1");
      const script = `'${path.replaceAll("'", "''")}'`;
      return { path, startupFile, lines: [`if (Test-Path ${script}) { . ${script} }`] };
    }
  }
}

/** Terminals on macOS start login shells, which do not run ~/.bashrc. */
const startsLoginShells = (platform: string): boolean => platform === "darwin";

/**
 * The file that a login bash runs: the first of ~/.bash_profile, ~/.bash_login and ~/.profile that exists, or
 * ~/.bash_profile if none does. If ~/.profile exists, a new ~/.bash_profile would keep bash from running it.
 */
async function loginFile(home: string): Promise<string> {
  const [preferred, ...others] = [".bash_profile", ".bash_login", ".profile"] as const;
  for (const file of [preferred, ...others]) {
    const exists = await access(join(home, file)).then(
      () => true,
      () => false,
    );
    if (exists) return file;
  }
  return preferred;
}

/** Chooses a folder of `$fpath` below the home folder, or else `~/.zfunc`, which must then be added to `$fpath`. */
async function zshPlace({ env, home, capture }: ShellUser): Promise<CompletionPlace> {
  const startupFile = join(env.ZDOTDIR || home, ".zshrc");
  const load = "autoload -Uz compinit && compinit";
  const printed = await capture(env.SHELL || "zsh", ["-ic", "print -rl -- $fpath"], { timeout });
  const own = printed?.split("\n").find((folder) => folder.startsWith(`${home}/`));
  if (own !== undefined) return { path: join(own, "_gpuctl"), startupFile, lines: [load] };
  const path = join(home, ".zfunc", "_gpuctl");
  return { path, startupFile, lines: ["fpath=(~/.zfunc $fpath)", load] };
}

/**
 * Starts a new shell of the user, and returns whether it completes gpuctl. The shell has no terminal and keeps no
 * history. Returns undefined if the shell cannot be started or takes too long.
 */
export async function loadsCompletions(
  shell: Shell,
  { env, platform, capture }: Pick<ShellUser, "env" | "platform" | "capture">,
): Promise<boolean | undefined> {
  const { args, offers } = questions[shell];
  const program = env.SHELL || shell;
  const login = shell === "bash" && startsLoginShells(platform) ? ["-l"] : [];
  return (await capture(program, [...login, ...args], { timeout }))?.includes(offers);
}

/** How to ask each shell, and a text that the output includes if the shell completes gpuctl. */
const questions: Readonly<Record<Shell, { readonly args: readonly string[]; readonly offers: string }>> = {
  bash: {
    // The package bash-completion loads a script only at the first Tab, so this line makes it load the script.
    args: [
      "-ic",
      "unset HISTFILE; { complete -p gpuctl || _comp_load gpuctl || _completion_loader gpuctl; } > /dev/null 2>&1; complete -p gpuctl",
    ],
    offers: "-F _gpuctl ",
  },
  zsh: { args: ["-ic", 'unset HISTFILE; print -r -- "found: $_comps[gpuctl]"'], offers: "found: _gpuctl" },
  fish: { args: ["-c", "complete -C 'gpuctl rental'"], offers: "rentals" },
  powershell: {
    args: ["-NoLogo", "-Command", "(TabExpansion2 'gpuctl rental' 13).CompletionMatches.CompletionText"],
    offers: "rentals",
  },
};

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
