import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  question: () => "Forget every rental, volume and change in the sandbox?",
  run: async (_input, { sandbox, say }) => {
    const control = await sandbox();
    control.reset();
    say("The sandbox begins anew.");
    return { data: control.status() };
  },
};
