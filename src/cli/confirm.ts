import { UsageError } from "../commands/errors.ts";
import type { CommandSpec } from "../commands/spec.ts";
import { Interrupted } from "../context/errors.ts";
import type { World } from "../context/world.ts";
import type { Settings } from "./settings.ts";

/** What a question that speaks of money or loss leaves out in the sandbox. */
const notReal = "(This is the sandbox: nothing is real.)";

/** Whether there is somebody to ask: answers are typed on stdin, and questions are drawn on stderr. */
export const mayPrompt = (
  { mayAsk }: Pick<Settings, "mayAsk">,
  { stdin, stderr }: Pick<World, "stdin" | "stderr">,
): boolean => mayAsk && stdin.isTTY && stderr.isTTY;

/** Asks before money is spent or something is destroyed. Throws when the answer is no, or is needed and cannot be had. */
export async function confirm(
  question: () => Promise<string | undefined> | string | undefined,
  { confirms }: Pick<CommandSpec, "confirms">,
  settings: Pick<Settings, "yes" | "mayAsk" | "sandbox">,
  world: Pick<World, "stdin" | "stderr" | "prompts">,
): Promise<void> {
  if (settings.yes || confirms === undefined) return;
  const somebody = mayPrompt(settings, world);
  if (!somebody && confirms === "spending") return;
  const asked = await question();
  if (asked === undefined) return;
  if (!somebody) {
    throw new UsageError("--yes is needed when nobody can be asked", { hint: `${asked} Nothing was sent.` });
  }
  const message = settings.sandbox ? `${asked} ${notReal}` : asked;
  if (!(await (await world.prompts()).confirm({ message }))) {
    throw new Interrupted("cancelled: nothing was sent");
  }
}
