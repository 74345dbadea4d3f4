import type { Context, KeptSettings, ProfileChange } from "../../context/context.ts";
import type { Prompts } from "../../context/questions.ts";

/** What the steps of the setup work with. */
export interface Wizard {
  readonly ask: Prompts;
  readonly context: Context;
  /** The profile that is set up. */
  readonly profile: string;
  /** What it keeps by now. */
  readonly settings: () => KeptSettings;
  /** Keeps an answer, and says so should the setup end early. */
  readonly keep: (what: string, change: ProfileChange) => Promise<void>;
}

/** The user ends the setup; what was answered stays. */
export class Stopped extends Error {
  override readonly name = "Stopped";
  constructor() {
    super("the setup was stopped");
  }
}

export function createWizard(profile: string, ask: Prompts, context: Context): Wizard {
  const kept: string[] = [];
  return {
    ask,
    context,
    profile,
    settings: () => context.profiles.list().find(({ name }) => name === profile)?.settings ?? {},
    keep: async (what, change) => {
      await context.profiles.save(profile, change);
      if (!kept.includes(what)) kept.push(what);
      context.ifItFails(
        `Kept in profile "${profile}": ${kept.join(", ")}. \`gpuctl setup\` goes on from there.`,
      );
    },
  };
}
