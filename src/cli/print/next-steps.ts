import type { NextStep } from "../../core/result.ts";
import { commandLine } from "../../core/text.ts";
import type { CliGlobals, GlobalName } from "../parse/globals.ts";

/** The flags that select the service; a next step needs the same ones. */
const serviceFlags: readonly GlobalName[] = [
  "profile",
  "sandbox",
  "base-url",
  "inference-base-url",
  "insecure-http",
];

/** Next steps as lines to copy, each with a shell comment that says what it does. */
export function nextStepLines(steps: readonly NextStep[], globals: CliGlobals): readonly string[] {
  const flags = serviceFlags.flatMap((name) => {
    const value = globals[name];
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${name}`];
    return value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
  });
  const lines = steps.map(({ command, args, text }) => ({ line: commandLine(command, args, flags), text }));
  const width = Math.max(...lines.map(({ line }) => line.length));
  return ["Next steps:", ...lines.map(({ line, text }) => `  ${line.padEnd(width)}  # ${text}`)];
}
