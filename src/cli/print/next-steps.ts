import type { NextStep } from "../../core/result.ts";
import { commandLine } from "../../core/text.ts";

/**
 * Next steps as lines to copy, each with a shell comment that says what it does. `flags` are the flags that select the
 * service.
 */
export function nextStepLines(steps: readonly NextStep[], flags: readonly string[]): readonly string[] {
  const lines = steps.map(({ command, args, text }) => ({ line: commandLine(command, args, flags), text }));
  const width = Math.max(...lines.map(({ line }) => line.length));
  return ["Next steps:", ...lines.map(({ line, text }) => `  ${line.padEnd(width)}  # ${text}`)];
}
