import type { CommandNode } from "../../command-kit/tree.ts";
import type { Settings } from "../../config/settings.ts";
import { Interrupted, UsageError } from "../../core/errors.ts";
import type { Io, Prompts } from "../../system/types.ts";

/** Whether gpuctl can prompt: prompts must be allowed, and both stdin and stderr must be terminals. */
export const canPrompt = (
  { promptsAllowed }: Pick<Settings, "promptsAllowed">,
  { stdin, stderr }: Pick<Io, "stdin" | "stderr">,
): boolean => promptsAllowed && stdin.isTTY && stderr.isTTY;

/**
 * Whether a command with an interactive mode uses it: gpuctl can prompt, the output is a table on a terminal, and this
 * is not a dry run.
 */
export const canConverse = (
  settings: Pick<Settings, "promptsAllowed" | "output" | "dryRun">,
  io: Pick<Io, "stdin" | "stderr" | "stdout">,
): boolean => canPrompt(settings, io) && settings.output === "table" && !settings.dryRun && io.stdout.isTTY;

interface Confirmation {
  readonly question: () => Promise<string | undefined> | string | undefined;
  /** The word to type instead of yes. */
  readonly typed?: string | undefined;
  /** The question to ask if `question` returns undefined and gpuctl can prompt. */
  readonly spending?: () => Promise<string | undefined>;
}

type ConfirmSettings = Pick<Settings, "yes" | "promptsAllowed" | "sandbox" | "profile" | "baseUrl">;

/**
 * Asks before spending money or destroying something, and returns whether it asked. Throws if the answer is no. If
 * gpuctl cannot prompt, throws if a destructive command has a question, and otherwise returns false. With `--yes`, asks
 * nothing.
 */
export async function confirm(
  { question, typed, spending }: Confirmation,
  node: Pick<CommandNode, "confirm" | "path">,
  settings: ConfirmSettings,
  io: Pick<Io, "stdin" | "stderr" | "prompts">,
): Promise<boolean> {
  if (settings.yes || node.confirm === undefined) return false;
  const interactive = canPrompt(settings, io);
  if (!interactive && node.confirm === "spending") return false;
  const what = (await question()) ?? (interactive ? await spending?.() : undefined);
  if (what === undefined) return false;
  const message = [what, placeOf(settings, node)].filter(Boolean).join(" ");
  if (!interactive) {
    throw new UsageError("--yes is required when not running interactively", {
      hint: `Nothing was changed. --yes answers yes to: ${message}`,
    });
  }
  if (!(await isConfirmed(message, typed, await io.prompts()))) {
    throw new Interrupted("canceled: nothing was changed");
  }
  return true;
}

async function isConfirmed(message: string, typed: string | undefined, prompts: Prompts): Promise<boolean> {
  if (typed === undefined) return prompts.confirm({ message });
  const answer = await prompts.text({ message: `${message} Type ${typed} to confirm:`, confirms: true });
  return answer.trim() === typed;
}

/**
 * The part of a confirmation that says where a command acts. Empty for commands that change profiles or chat sessions,
 * which involve no service.
 */
export function placeOf(
  { sandbox, profile, baseUrl }: Pick<ConfirmSettings, "sandbox" | "profile" | "baseUrl">,
  { path: [noun, verb] }: Pick<CommandNode, "path"> = { path: [] },
): string {
  if (noun === "profile" || verb === "sessions") return "";
  if (sandbox || noun === "sandbox") return "(Sandbox: no real resources are affected.)";
  return `(Profile "${profile}"${baseUrl === undefined ? "" : `, ${new URL(baseUrl).host}`}.)`;
}
