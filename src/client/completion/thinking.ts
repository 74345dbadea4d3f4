/** A piece of a completion as it arrives. */
export interface Piece {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

const opening = "<think>";
const closing = "</think>";

/**
 * Separates the reasoning in `<think>` tags at the start of a text from the rest. A chunk may end in the middle of a
 * tag, so text that may be the start of a tag is held back.
 */
export function splitThinking() {
  let state: "start" | "thinking" | "after" | "text" = "start";
  let held = "";
  /** Whether only white space has arrived. */
  let isBlank = true;
  const step = (text: string): Piece[] => {
    if (state === "text") return [{ kind: "text", text }];
    held += text;
    if (state === "start") {
      // Only the new text is trimmed. Trimming all of `held` again for each chunk takes quadratic time.
      isBlank &&= text.trimStart() === "";
      if (isBlank) return [];
      const start = held.trimStart();
      if (opening.startsWith(start) && start !== opening) return [];
      if (!start.startsWith(opening)) {
        state = "text";
        return take("text", held.length);
      }
      state = "thinking";
      held = start.slice(opening.length);
    }
    if (state === "thinking") {
      const end = held.indexOf(closing);
      if (end < 0) return take("reasoning", held.length - endLike(held));
      const reasoning = take("reasoning", end);
      state = "after";
      held = held.slice(closing.length);
      return [...reasoning, ...step("")];
    }
    // The blank lines between the reasoning and the text belong to neither.
    held = held.trimStart();
    if (held === "") return [];
    state = "text";
    return take("text", held.length);
  };
  const take = (kind: Piece["kind"], length: number): Piece[] => {
    const text = held.slice(0, length);
    held = held.slice(length);
    return [{ kind, text }];
  };
  return {
    add: (text: string): readonly Piece[] => (text === "" ? [] : step(text)),
    flush: (): readonly Piece[] => take(state === "thinking" ? "reasoning" : "text", held.length),
  };
}

/** How many characters at the end of a text may be the start of the closing tag. */
function endLike(text: string): number {
  for (let length = Math.min(text.length, closing.length - 1); length > 0; length -= 1) {
    if (closing.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
