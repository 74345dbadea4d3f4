import ora from "ora";
import type { Spinner } from "./world.ts";

/** Shows on stderr that work is under way; the cursor comes back when it stops. */
export function spinner(text: string): Spinner {
  const shown = ora({ text, stream: process.stderr, discardStdin: false }).start();
  return {
    update: (next) => {
      shown.text = next;
    },
    stop: () => {
      shown.stop();
    },
  };
}
