import { basename, join } from "node:path";
import type { Shell } from "../../../context/context.ts";
import { completionFiles } from "../../completion/shells.ts";
import { type Check, type Examined, ok, warning } from "../finding.ts";

/** The script is where the user's shell looks for it, and is that of this version. */
export const completions: Check = async (examined) => {
  const shell = shells[basename(examined.env.SHELL ?? "")];
  if (shell === undefined) return ok("not looked for: the shell is not known");
  const command = `gpuctl completion ${shell}`;
  for (const path of startFiles(examined)[shell]) {
    if ((await examined.readText(path))?.includes(command)) return ok(`${path} loads them`);
  }
  const wanted = await examined.completionScript(shell);
  const places = folders(examined)[shell].flatMap((folder) => names(shell).map((name) => join(folder, name)));
  for (const path of places) {
    const text = await examined.readText(path);
    if (text === wanted) return ok(path);
    if (text !== undefined) return warning(`${path} is of another version`, `${command} > '${path}'`);
  }
  return warning(`not installed for ${shell}`, `\`${command}\` prints them: put it where ${shell} looks.`);
};

const shells: Readonly<Record<string, Exclude<Shell, "powershell"> | undefined>> = {
  bash: "bash",
  zsh: "zsh",
  fish: "fish",
};
type Known = NonNullable<(typeof shells)[string]>;
type Places = Readonly<Record<Known, readonly string[]>>;

/** bash finds a script by the plain name of the command, too. */
const names = (shell: Known): readonly string[] =>
  shell === "bash" ? ["gpuctl", completionFiles.bash] : [completionFiles[shell]];

const startFiles = ({ home, env }: Examined): Places => ({
  bash: [join(home, ".bashrc"), join(home, ".bash_profile"), join(home, ".bash_completion")],
  zsh: [join(env.ZDOTDIR || home, ".zshrc")],
  fish: [join(env.XDG_CONFIG_HOME || join(home, ".config"), "fish", "config.fish")],
});

const folders = ({ home, env }: Examined): Places => ({
  bash: [
    join(
      env.BASH_COMPLETION_USER_DIR ||
        join(env.XDG_DATA_HOME || join(home, ".local", "share"), "bash-completion"),
      "completions",
    ),
    "/usr/local/share/bash-completion/completions",
    "/usr/share/bash-completion/completions",
    "/opt/homebrew/etc/bash_completion.d",
    "/etc/bash_completion.d",
  ],
  zsh: [
    ...(env.FPATH ?? "").split(":").filter((folder) => folder !== ""),
    join(home, ".zfunc"),
    join(home, ".zsh", "completions"),
    "/usr/local/share/zsh/site-functions",
    "/opt/homebrew/share/zsh/site-functions",
    "/usr/share/zsh/site-functions",
    "/usr/share/zsh/vendor-completions",
  ],
  fish: [
    join(env.XDG_CONFIG_HOME || join(home, ".config"), "fish", "completions"),
    "/usr/local/share/fish/vendor_completions.d",
    "/usr/share/fish/vendor_completions.d",
  ],
});
