import { basename, join } from "node:path";
import type { Context, Shell } from "../../context/context.ts";

/** Where a shell looks for the completions of a command. */
export interface CompletionPlace {
  readonly shell: Shell;
  readonly path: string;
  /** Lines of the shell's own start-up file without which it does not look there. */
  readonly lines: readonly string[];
}

const shells: Readonly<Record<string, Shell>> = {
  bash: "bash",
  zsh: "zsh",
  fish: "fish",
  pwsh: "powershell",
};

/** Milliseconds for a zsh to say where it looks. */
const longest = 5_000;

/** The place for the user's shell; nothing when the shell is not known, or there is no home folder. */
export async function completionPlace({
  environment,
  programs,
}: Pick<Context, "environment" | "programs">): Promise<CompletionPlace | undefined> {
  const shell = shells[basename(environment.SHELL ?? "").replace(/\.exe$/i, "")];
  const home = environment.HOME ?? environment.USERPROFILE;
  if (shell === undefined || !home) return undefined;
  const data = environment.XDG_DATA_HOME || join(home, ".local", "share");
  const config = environment.XDG_CONFIG_HOME || join(home, ".config");
  switch (shell) {
    case "bash":
      return { shell, path: join(data, "bash-completion", "completions", "gpuctl"), lines: [] };
    case "fish":
      return { shell, path: join(config, "fish", "completions", "gpuctl.fish"), lines: [] };
    case "zsh":
      return zsh(home, programs);
    case "powershell": {
      const path = join(config, "powershell", "gpuctl.ps1");
      return {
        shell,
        path,
        lines: [`. '${path.replaceAll("'", "''")}'   # in the file that $PROFILE names`],
      };
    }
  }
}

/** A folder of the user's own that zsh looks into, else `~/.zfunc`, which it has to be told of. */
async function zsh(home: string, programs: Context["programs"]): Promise<CompletionPlace> {
  const asked = "zsh -ic 'print -rl -- $fpath' < /dev/null 2> /dev/null";
  const printed = await programs.output(asked, { timeout: longest }).catch(() => "");
  const own = printed.split("\n").find((folder) => folder.startsWith(`${home}/`));
  if (own !== undefined) return { shell: "zsh", path: join(own, "_gpuctl"), lines: [] };
  const lines = ["fpath=(~/.zfunc $fpath)", "autoload -Uz compinit && compinit"];
  return { shell: "zsh", path: join(home, ".zfunc", "_gpuctl"), lines };
}
