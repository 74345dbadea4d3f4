import process from "node:process";
import ora from "ora";
import { hideCursor } from "./cursor.ts";
import type { Spinner, SpinnerLook } from "./world.ts";

/** Shows on stderr that work is under way; the cursor comes back when it stops, and whenever the process ends. */
export function spinner(text: string, { color, beside }: SpinnerLook): Spinner {
  const showCursor = hideCursor(process.stderr);
  const shown = ora({
    text,
    suffixText: beside,
    stream: process.stderr,
    discardStdin: false,
    hideCursor: false,
    isEnabled: true,
    color: color && "cyan",
  }).start();
  return {
    update: (next) => {
      shown.text = next;
    },
    stop: () => {
      shown.stop();
      showCursor();
    },
  };
}
