import { type Turn, textOf } from "./turn.ts";

/** A turn with its number in the session, from 1. */
export interface NumberedTurn extends Turn {
  readonly turn: number;
  /** The number of the previous turn in the same conversation; null if there is none. */
  readonly after: number | null;
}

export function numbered(turns: readonly Turn[]): readonly NumberedTurn[] {
  const numbers = new Map(turns.map(({ id }, at) => [id, at + 1]));
  return turns.map((turn, at) => ({
    turn: at + 1,
    after: turn.parent === null ? null : (numbers.get(turn.parent) ?? null),
    ...turn,
  }));
}

/** Yields a session as readable text: for each turn, a heading with its number, role and details, then its content. */
export function* transcript(turns: readonly Turn[]): Generator<string> {
  for (const turn of numbered(turns)) {
    yield `${turn.turn > 1 ? "\n" : ""}${heading(turn).join(" · ")}\n${textOf(turn.content).trimEnd()}\n`;
  }
}

/** Yields a session as a Markdown document. */
export function* markdown(name: string, turns: readonly Turn[]): Generator<string> {
  yield `# ${name}\n`;
  for (const turn of numbered(turns)) {
    const [title, ...details] = heading(turn);
    const line = details.length > 0 ? `_${details.join(" · ")}_\n\n` : "";
    yield `\n## ${title}\n\n${line}${textOf(turn.content).trimEnd()}\n`;
  }
}

function heading({ turn, role, time, model, cost, incomplete, after }: NumberedTurn): readonly string[] {
  return [
    `${turn}. ${role}`,
    time.slice(0, "2026-11-22T15:40".length).replace("T", " "),
    ...(model === undefined ? [] : [model]),
    ...(cost === undefined ? [] : [`$${cost}`]),
    ...(after === turn - 1 || (after === null && turn === 1)
      ? []
      : [after === null ? "new conversation" : `continues after turn ${after}`]),
    ...(incomplete === undefined ? [] : [`INCOMPLETE: ${incomplete}`]),
  ];
}

/** A turn that contains the text to search for. */
export interface Match extends Pick<NumberedTurn, "turn" | "role" | "time"> {
  readonly session: string;
  /** The text around the first match, on one line. */
  readonly text: string;
}

/** How many characters to show before and after a match. */
const before = 30;
const after = 60;

/** Returns the turns of a session that contain a text. Ignores case. */
export function search(session: string, turns: readonly Turn[], wanted: string): readonly Match[] {
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "iu");
  return numbered(turns).flatMap(({ turn, role, time, content }) => {
    const text = textOf(content);
    const found = pattern.exec(text);
    if (!found) return [];
    const start = Math.max(0, found.index - before);
    const end = found.index + found[0].length + after;
    const excerpt = `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
    return { session, turn, role, time, text: excerpt.replace(/\s+/g, " ").trim() };
  });
}
