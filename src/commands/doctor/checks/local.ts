import { basename, join } from "node:path";
import { completionFiles, type Shell } from "../../../core/shells.ts";
import { type Check, type Examined, failure, ok, warning } from "../finding.ts";

export const node: Check = ({ nodeVersion, neededNode }) =>
  isAtLeast(nodeVersion, neededNode)
    ? ok(`Node.js ${nodeVersion}`)
    : failure(`Node.js ${nodeVersion} is too old`, `Install Node.js ${neededNode}.`);

/** Whether a version is at least another one, such as `>=20.19`. */
function isAtLeast(version: string, minimum: string): boolean {
  const [have, need] = [numbers(version), numbers(minimum)];
  const at = need.findIndex((part, index) => part !== (have[index] ?? 0));
  return at < 0 || (have[at] ?? 0) > (need[at] ?? 0);
}

const numbers = (version: string): readonly number[] => (version.match(/\d+/g) ?? []).map(Number);

export const terminal: Check = ({ terminal: { stdin, stdout, stderr, columns, color }, env, platform }) => {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  const streams = Object.entries({ stdin, stdout, stderr }).flatMap(([name, is]) => (is ? [name] : []));
  if (streams.length === 0) return ok("none: no prompts, colors or animations");
  const facts = [
    `${streams.join(", ")} on ${env.TERM || "a terminal without TERM"}`,
    columns > 0 ? `${columns} columns` : "unknown width",
    color ? "colors" : "no colors",
    locale || "no locale",
  ].join("; ");
  if (platform !== "win32" && !/utf-?8/i.test(locale)) {
    return warning(facts, "Set LANG to a UTF-8 locale such as C.UTF-8, or names may be garbled.");
  }
  return ok(facts);
};

const players = ["ffplay", "mpv", "paplay", "aplay", "afplay"];

/** A program that plays speech. */
export const player: Check = async ({ which }) => {
  const paths = await Promise.all(players.map(which));
  const found = paths.find((path) => path !== undefined);
  return found ? ok(found) : warning("not found", `Install one of ${players.join(", ")} to play speech.`);
};

/** `rentals ssh` runs it. */
export const ssh: Check = async ({ which }) => {
  const found = await which("ssh");
  return found ? ok(found) : warning("not found", "Install OpenSSH for `gpuctl rentals ssh`.");
};

/** The user's shell finds or loads the script of this version. */
export const completions: Check = async (examined) => {
  const shell = shellsByProgram[basename(examined.env.SHELL ?? "")];
  if (shell === undefined) return ok("skipped: unknown shell");
  const command = `gpuctl completion ${shell}`;
  for (const path of startUpFiles(examined)[shell]) {
    if ((await examined.readText(path))?.includes(command)) return ok(`${path} loads them`);
  }
  const wanted = await examined.completionScript(shell);
  // bash finds a script by the plain name of the command, too.
  const names = shell === "bash" ? ["gpuctl", completionFiles.bash] : [completionFiles[shell]];
  for (const folder of searchedFolders(examined)[shell]) {
    for (const path of names.map((name) => join(folder, name))) {
      const text = await examined.readText(path);
      if (text === wanted) return ok(path);
      if (text !== undefined) return warning(`${path} is from another version`, `${command} > '${path}'`);
    }
  }
  return warning(
    `not installed for ${shell}`,
    `Save the output of \`${command}\` where ${shell} looks for it.`,
  );
};

type CheckedShell = Exclude<Shell, "powershell">;
type Places = Readonly<Record<CheckedShell, readonly string[]>>;

const shellsByProgram: Readonly<Record<string, CheckedShell | undefined>> = {
  bash: "bash",
  zsh: "zsh",
  fish: "fish",
};

const startUpFiles = ({ home, env }: Examined): Places => ({
  bash: [join(home, ".bashrc"), join(home, ".bash_profile"), join(home, ".bash_completion")],
  zsh: [join(env.ZDOTDIR || home, ".zshrc")],
  fish: [join(env.XDG_CONFIG_HOME || join(home, ".config"), "fish", "config.fish")],
});

const searchedFolders = ({ home, env }: Examined): Places => ({
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
