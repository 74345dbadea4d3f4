import type { CommandSpec } from "../commands/spec.ts";
import { Interrupted, UsageError } from "../context/errors.ts";
import type { World } from "../context/world.ts";
import type { Settings } from "./settings.ts";

/** What a question that speaks of money or loss leaves out in the sandbox. */
const notReal = "(This is the sandbox: nothing is real.)";

/** Asks before money is spent or something is destroyed. Throws when the answer is no, or is needed and cannot be had. */
export async function confirm(
  question: string,
  { confirms }: Pick<CommandSpec, "confirms">,
  { yes, mayAsk, sandbox }: Pick<Settings, "yes" | "mayAsk" | "sandbox">,
  { stdin, prompts }: Pick<World, "stdin" | "prompts">,
): Promise<void> {
  if (yes || confirms === undefined) return;
  if (!mayAsk || !stdin.isTTY) {
    if (confirms === "spending") return;
    throw new UsageError("--yes is needed when nobody can be asked", {
      hint: `${question} Nothing was sent.`,
    });
  }
  if (!(await (await prompts()).confirm({ message: sandbox ? `${question} ${notReal}` : question }))) {
    throw new Interrupted("cancelled: nothing was sent");
  }
}
