import type { CommandSpec } from "../commands/spec.ts";
import { Interrupted, UsageError } from "../context/errors.ts";
import type { World } from "../context/world.ts";
import type { Settings } from "./settings.ts";

/** Asks before money is spent or something is destroyed. Throws when the answer is no, or is needed and cannot be had. */
export async function confirm(
  question: string,
  { confirms }: Pick<CommandSpec, "confirms">,
  { yes, mayAsk }: Pick<Settings, "yes" | "mayAsk">,
  { stdin, prompts }: Pick<World, "stdin" | "prompts">,
): Promise<void> {
  if (yes || confirms === undefined) return;
  if (!mayAsk || !stdin.isTTY) {
    if (confirms === "spending") return;
    throw new UsageError("--yes is needed when nobody can be asked", {
      hint: `${question} Nothing was sent.`,
    });
  }
  if (!(await (await prompts()).confirm({ message: question }))) {
    throw new Interrupted("cancelled: nothing was sent");
  }
}
