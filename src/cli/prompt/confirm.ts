import type { CommandNode } from "../../command-kit/tree.ts";
import type { Settings } from "../../config/settings.ts";
import { Interrupted, UsageError } from "../../core/errors.ts";
import type { Io } from "../../system/types.ts";

/** What a question about money or loss says in the sandbox. */
const notReal = "(This is the sandbox: nothing is real.)";

/** Whether prompts are possible: answers are typed on stdin, and questions are drawn on stderr. */
export const mayPrompt = (
  { mayAsk }: Pick<Settings, "mayAsk">,
  { stdin, stderr }: Pick<Io, "stdin" | "stderr">,
): boolean => mayAsk && stdin.isTTY && stderr.isTTY;

/** Asks before money is spent or something is destroyed. Throws when the answer is no, or nobody can give it. */
export async function confirm(
  question: () => Promise<string | undefined> | string | undefined,
  { confirm: kind }: Pick<CommandNode, "confirm">,
  settings: Pick<Settings, "yes" | "mayAsk" | "sandbox">,
  io: Pick<Io, "stdin" | "stderr" | "prompts">,
): Promise<void> {
  if (settings.yes || kind === undefined) return;
  const interactive = mayPrompt(settings, io);
  if (!interactive && kind === "spending") return;
  const asked = await question();
  if (asked === undefined) return;
  if (!interactive) {
    throw new UsageError("--yes is required when not running interactively", {
      hint: `${asked} Nothing was sent.`,
    });
  }
  const message = settings.sandbox ? `${asked} ${notReal}` : asked;
  if (!(await (await io.prompts()).confirm({ message }))) {
    throw new Interrupted("cancelled: nothing was sent");
  }
}
