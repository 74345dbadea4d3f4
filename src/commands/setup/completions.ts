import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import {
  type CompletionPlace,
  completionPlace,
  loadsCompletions,
} from "../../command-kit/completion-places.ts";
import { Interrupted, reasonOf } from "../../core/errors.ts";
import { type Shell, shellOf } from "../../core/runtime/shells.ts";
import { save } from "../../media/save.ts";
import type { Wizard } from "./wizard.ts";

/**
 * Offers to write the completion script. If the user's shell needs extra lines in its startup file to load the script,
 * offers to add them. Asks before each change.
 */
export async function offerCompletions(wizard: Wizard): Promise<void> {
  const { installation, say } = wizard.context;
  const { env } = installation;
  const shell = shellOf(env.SHELL);
  const home = env.HOME || env.USERPROFILE;
  if (shell === undefined || !home) return;
  const user = { ...installation, home };
  const place = await completionPlace(shell, user);
  try {
    const script = await offerScript(shell, place, wizard);
    if (script === "declined") return;
    const isLoaded = () => loadsCompletions(shell, user);
    const loaded = (await isLoaded()) ? "already" : await offerStartupLines(shell, place, wizard);
    if (loaded === "declined" || (script === "already" && loaded === "already")) return;
    if (loaded === "now" && (await isLoaded()) === false) {
      say(
        `${shell} still does not load the completions in ${place.path}. Check them with \`gpuctl doctor\`.`,
      );
    } else say(`Completions are installed in ${place.path}. Open a new ${shell} to use them.`);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    wizard.ask.report("failure", `The completions could not be set up: ${reasonOf(error)}.`);
  }
}

type Step = "already" | "now" | "declined";

async function offerScript(shell: Shell, { path }: CompletionPlace, { ask, context }: Wizard): Promise<Step> {
  const script = new TextEncoder().encode(await context.completionScript(shell));
  const present = await context.files.read(path, shell).catch(() => undefined);
  if (present && Buffer.compare(present, script) === 0) return "already";
  const message = `${present ? "Replace" : "Write"} the completion script for ${shell} at ${path}?`;
  if (!(await ask.confirm({ message, initial: true }))) return "declined";
  await save(path, script, { force: true, makeFolders: true });
  return "now";
}

/**
 * Offers to append the missing lines to the startup file. Does not replace the file, because it may be a link into a
 * repository.
 */
async function offerStartupLines(
  shell: Shell,
  { startupFile, lines }: CompletionPlace,
  { ask, context }: Wizard,
): Promise<Step> {
  const present = await context.files.read(startupFile, shell).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => "",
  );
  const missing = lines.filter((line) => !present.split("\n").includes(line));
  if (missing.length === 0) return "already";
  const [it, them] = missing.length === 1 ? ["this line", "the line"] : ["these lines", "the lines"];
  context.say(`To load the completions, ${shell} needs ${it} in ${startupFile}:`);
  for (const line of missing) context.say(`  ${line}`);
  if (!(await ask.confirm({ message: `Add ${them} to ${startupFile}?`, initial: true }))) return "declined";
  await mkdir(dirname(startupFile), { recursive: true });
  const start = present === "" || present.endsWith("\n") ? "" : "\n";
  await appendFile(startupFile, `${start}# Completions for gpuctl\n${missing.join("\n")}\n`);
  return "now";
}
