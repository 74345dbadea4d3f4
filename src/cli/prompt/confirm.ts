import type { CommandNode } from "../../command-kit/tree.ts";
import type { Settings } from "../../config/settings.ts";
import { Interrupted, UsageError } from "../../core/errors.ts";
import type { Io } from "../../system/types.ts";

/** Added to confirmations in the sandbox. */
const notReal = "(Sandbox: no real resources are affected.)";

/** Whether gpuctl can prompt: both stdin and stderr must be terminals. */
export const canPrompt = (
  { promptsAllowed }: Pick<Settings, "promptsAllowed">,
  { stdin, stderr }: Pick<Io, "stdin" | "stderr">,
): boolean => promptsAllowed && stdin.isTTY && stderr.isTTY;

/**
 * Asks before spending money or destroying something. Throws when the answer is no, or when a destructive command cannot
 * prompt and `--yes` is not set.
 */
export async function confirm(
  question: () => Promise<string | undefined> | string | undefined,
  { confirm: kind }: Pick<CommandNode, "confirm">,
  settings: Pick<Settings, "yes" | "promptsAllowed" | "sandbox">,
  io: Pick<Io, "stdin" | "stderr" | "prompts">,
): Promise<void> {
  if (settings.yes || kind === undefined) return;
  const interactive = canPrompt(settings, io);
  if (!interactive && kind === "spending") return;
  const message = await question();
  if (message === undefined) return;
  if (!interactive) {
    throw new UsageError("--yes is required when not running interactively", {
      hint: `Nothing was sent. With --yes, this is confirmed: ${message}`,
    });
  }
  const prompts = await io.prompts();
  if (!(await prompts.confirm({ message: settings.sandbox ? `${message} ${notReal}` : message }))) {
    throw new Interrupted("cancelled: nothing was sent");
  }
}
