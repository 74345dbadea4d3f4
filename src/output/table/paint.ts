/** Colors a text without changing its width. */
export type Paint = (text: string) => string;

/** Colors by meaning; undefined where text stays plain. */
export interface Palette {
  readonly title: Paint | undefined;
  /** The color of a rental's state, ignoring case. */
  readonly state: (text: string) => Paint | undefined;
}

const plain: Palette = { title: undefined, state: () => undefined };

/** The palette of a terminal, or one without colors. */
export async function palette(color: boolean): Promise<Palette> {
  if (!color) return plain;
  const { Chalk } = await import("chalk");
  const chalk = new Chalk({ level: 1 });
  const states = new Map<string, Paint>([
    ["running", chalk.green],
    ["active", chalk.green],
    ["pending", chalk.yellow],
    ["failed", chalk.red],
    ["terminated", chalk.red],
  ]);
  return { title: chalk.dim, state: (text) => states.get(text.toLowerCase()) };
}

/** Whether the value at a dotted path is a state. */
export function isStatePath(path: string): boolean {
  return /(?:^|\.)(?:state|status)$/.test(path);
}
