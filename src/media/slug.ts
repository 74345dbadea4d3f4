const LONGEST_SLUG = 40;
const LONGEST_VALUE = 60;

/** The text in ASCII where Unicode says how: accents go, full-width and styled letters become plain ones. */
function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}+/gu, "");
}

/** A prompt as a short name: lower-case ASCII words with dashes between, at most 40 characters, cut at a word. May be empty. */
export function slug(text: string): string {
  // A prompt may be pages long, and four characters of it rarely make less than one of the slug.
  const words = plain(text.slice(0, LONGEST_SLUG * 10))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  if (words.length <= LONGEST_SLUG) return words;
  const cut = words.slice(0, LONGEST_SLUG + 1);
  const word = cut.lastIndexOf("-");
  return word > 0 ? cut.slice(0, word) : words.slice(0, LONGEST_SLUG);
}

/**
 * A value as a piece of a file name that every system takes: ASCII letters, digits, `.`, `_`, `+` and `-`, no
 * separator, no control character, no dot or dash at an end, at most 60 characters. May be empty.
 * A whole number keeps its sign.
 */
export function namePiece(value: string): string {
  if (/^-?\d{1,40}$/.test(value)) return value;
  return plain(value.slice(0, LONGEST_VALUE * 4))
    .replace(/[^A-Za-z0-9._+-]+/g, "-")
    .slice(0, LONGEST_VALUE)
    .replace(/^[.-]+|[.-]+$/g, "");
}
