import { join } from "node:path";
import type { Ports } from "../../command-kit/context.ts";
import { reasonOf } from "../../core/errors.ts";
import { type Shell, shellOf } from "../../core/shells.ts";
import { save } from "../../media/save.ts";
import type { Wizard } from "./wizard.ts";

/** Offers to write the completion script where the user's shell looks for it. Changes no other file. */
export async function offerCompletions({ ask, context }: Wizard): Promise<void> {
  const { environment } = context;
  const shell = shellOf(environment.SHELL);
  const home = environment.HOME ?? environment.USERPROFILE;
  if (shell === undefined || !home) return;
  const { path, lines } = await placeFor(shell, home, context);
  const script = new TextEncoder().encode(await context.completionScript(shell));
  const present = await context.files.read(path, shell).catch(() => undefined);
  if (present && Buffer.compare(present, script) === 0) return;
  const message = `${present ? "Replace" : "Write"} the completion script for ${shell} at ${path}?`;
  if (!(await ask.confirm({ message, initial: true }))) return;
  try {
    await save(path, script, { force: true, makeFolders: true });
  } catch (error) {
    context.say(`The completions were not installed: ${reasonOf(error)}.`);
    return;
  }
  context.say(`Completions are installed in ${path}. Open a new ${shell} to use them.`);
  if (lines.length > 0) context.say(`Add these lines to the startup file of ${shell}:\n${lines.join("\n")}`);
}

/** Where a shell looks for the completions of a command. */
interface CompletionPlace {
  readonly path: string;
  /** Lines that the shell's startup file needs to find it. */
  readonly lines: readonly string[];
}

async function placeFor(
  shell: Shell,
  home: string,
  { environment, programs }: Wizard["context"],
): Promise<CompletionPlace> {
  const data = environment.XDG_DATA_HOME || join(home, ".local", "share");
  const config = environment.XDG_CONFIG_HOME || join(home, ".config");
  switch (shell) {
    case "bash":
      return { path: join(data, "bash-completion", "completions", "gpuctl"), lines: [] };
    case "fish":
      return { path: join(config, "fish", "completions", "gpuctl.fish"), lines: [] };
    case "zsh":
      return zshPlace(home, programs);
    case "powershell": {
      const path = join(config, "powershell", "gpuctl.ps1");
      return { path, lines: [`. '${path.replaceAll("'", "''")}'   # in the file that $PROFILE names`] };
    }
  }
}

/** Milliseconds for zsh to print `$fpath`. */
const zshTimeout = 5_000;

/** A folder of `$fpath` below the home folder, else `~/.zfunc`, which has to be added to it. */
async function zshPlace(home: string, programs: Ports["programs"]): Promise<CompletionPlace> {
  const command = "zsh -ic 'print -rl -- $fpath' < /dev/null 2> /dev/null";
  const printed = await programs.output(command, { timeout: zshTimeout }).catch(() => "");
  const own = printed.split("\n").find((folder) => folder.startsWith(`${home}/`));
  if (own !== undefined) return { path: join(own, "_gpuctl"), lines: [] };
  const lines = ["fpath=(~/.zfunc $fpath)", "autoload -Uz compinit && compinit"];
  return { path: join(home, ".zfunc", "_gpuctl"), lines };
}
