/** What a terminal sends for a key. */
export const sequences = {
  enter: "\r",
  up: "\u001b[A",
  down: "\u001b[B",
  backspace: "\u007f",
  escape: "\u001b",
  tab: "\t",
  "ctrl-c": "\u0003",
  "ctrl-d": "\u0004",
  "ctrl-z": "\u001a",
} as const;

export type Key = keyof typeof sequences;
