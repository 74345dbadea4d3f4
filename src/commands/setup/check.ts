import { Stopped, type Wizard } from "./wizard.ts";

/** What is wrong, in a sentence; nothing when all is well. */
export type Trouble = string | undefined;

const labels = {
  again: "Try again",
  change: "Change the answer",
  keep: "Keep it anyway",
  stop: "Stop here",
} as const;

/**
 * Whether an answer is to be kept: it passes its check, or the user wants it all the same. False when the user will
 * give another one. Throws `Stopped`.
 */
export async function passes(check: () => Promise<Trouble>, { ask }: Pick<Wizard, "ask">): Promise<boolean> {
  for (;;) {
    const trouble = await check();
    if (trouble === undefined) return true;
    const message = `${trouble} What now?`;
    const next = await ask.choose({ message, choices: Object.keys(labels), labels, initial: "change" });
    if (next === "stop") throw new Stopped();
    if (next !== "again") return next === "keep";
  }
}
