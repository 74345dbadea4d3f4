/** Colours a text, adding nothing that can be seen without colour. */
export type Paint = (text: string) => string;

/** Colours by meaning; undefined where a text has none. */
export interface Palette {
  readonly title: Paint | undefined;
  /** Of a state of a rental, compared without case. */
  readonly state: (text: string) => Paint | undefined;
}

const none: Palette = { title: undefined, state: () => undefined };

/** The colours, or none at all. What makes them is loaded for them alone. */
export async function palette(color: boolean): Promise<Palette> {
  if (!color) return none;
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

/** True of a dotted path whose value is a state. */
export function namesState(path: string): boolean {
  return /(?:^|\.)(?:state|status)$/.test(path);
}
