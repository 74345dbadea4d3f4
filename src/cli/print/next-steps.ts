import type { NextStep } from "../../core/result.ts";
import { commandLine } from "../../core/text.ts";

/**
 * Next steps as lines to copy, each with a shell comment that says what it does. `flags` are the flags that select the
 * service. If a line would be longer than `columns`, each comment is above its command. If `columns` is 0, the width
 * is unknown, and each comment is beside its command.
 */
export function nextStepLines(
  steps: readonly NextStep[],
  flags: readonly string[],
  columns: number,
): readonly string[] {
  const lines = steps.map(({ command, args, text }) => ({ line: commandLine(command, args, flags), text }));
  const width = Math.max(...lines.map(({ line }) => line.length));
  const beside = lines.map(({ line, text }) => `  ${line.padEnd(width)}  # ${text}`);
  const fits = columns === 0 || beside.every((line) => line.length <= columns);
  return [
    "Next steps:",
    ...(fits ? beside : lines.flatMap(({ line, text }) => [`  # ${text}`, `  ${line}`])),
  ];
}
