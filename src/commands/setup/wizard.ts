import type { Context, Ports } from "../../command-kit/context.ts";
import type { ProfileChange, ProfileSummary } from "../../config/types.ts";
import { Interrupted } from "../../core/errors.ts";
import type { Prompts } from "../../system/types.ts";

type SetupContext = Context &
  Pick<
    Ports,
    "profiles" | "secrets" | "callAt" | "requestAt" | "environment" | "installation" | "completionScript"
  >;

/** What every step of the setup gets. */
export interface Wizard {
  readonly ask: Prompts;
  readonly context: SetupContext;
  /** The name of the profile being set up. */
  readonly profile: string;
  /** The profile as it is stored so far; undefined before the first answer is saved. */
  readonly stored: () => ProfileSummary | undefined;
  /** Saves an answer. `what` names it, such as "chat model". If setup ends early, the error lists the saved answers. */
  readonly save: (what: string, change: ProfileChange) => Promise<void>;
}

export function createWizard(profile: string, ask: Prompts, context: SetupContext): Wizard {
  const saved: string[] = [];
  return {
    ask,
    context,
    profile,
    stored: () => context.profiles.list().find(({ name }) => name === profile),
    save: async (what, change) => {
      await context.profiles.save(profile, change);
      if (!saved.includes(what)) saved.push(what);
      context.setFailureContext(
        `Saved in profile "${profile}": ${saved.join(", ")}. Run \`gpuctl setup\` again to continue.`,
      );
    },
  };
}

/** What is wrong with an answer, in a sentence; undefined for a valid answer. */
export type Problem = string | undefined;

const labels = {
  again: "Try again",
  change: "Change the answer",
  keep: "Save it anyway",
  stop: "Stop setup",
} as const;

/**
 * Checks an answer. Returns true if it passes the check or the user chooses to save it anyway, and false if the user
 * wants to change it. Throws `Interrupted` if the user stops setup.
 */
export async function isAccepted(
  check: () => Promise<Problem>,
  { ask }: Pick<Wizard, "ask">,
): Promise<boolean> {
  for (;;) {
    const problem = await check();
    if (problem === undefined) return true;
    ask.report("failure", problem);
    const next = await ask.choose({
      message: "What now?",
      hidesTyped: true,
      choices: Object.keys(labels),
      labels,
      initial: "change",
    });
    if (next === "stop") throw new Interrupted("setup was stopped");
    if (next !== "again") return next === "keep";
  }
}
