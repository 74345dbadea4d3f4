import { nothingDone } from "../shared/dry-run.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  question: () => "Forget every rental, volume and change in the sandbox?",
  run: async (_input, { sandbox, say, settings }) => {
    const control = await sandbox();
    if (!settings.dryRun) control.reset();
    say(settings.dryRun ? nothingDone : "The sandbox begins anew.");
    return { data: control.status() };
  },
};
