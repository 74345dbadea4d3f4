/**
 * The text in the plain letters the voice knows: accents are dropped, typographic quotes and dashes become
 * plain ones, and anything else outside ASCII, such as emoji, becomes a space.
 */
export function plainText(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[“”«»]/g, '"')
    .replace(/[‐‑‒]/g, "-")
    .replace(/[–—―]/g, ", ")
    .replace(/[^\n\x20-\x7e]+/g, " ");
}

/**
 * The text with breaks put into endless words and sentences: Flite's time grows with the square of a
 * sentence's length, and no one says such in one breath.
 */
export function withBreaths(text: string): string {
  return text.replace(/\S{40}(?=\S)/g, "$& ").replace(/[^.!?\n]{400,}? /g, "$&\n\n");
}

/** Whether there is a letter or a digit to be spoken in a plain text. */
export function hasWords(text: string): boolean {
  return /[a-z0-9]/i.test(text);
}
