/** A place on the terminal, in cells. Without `rows`, the picture's proportions determine the height. */
export interface Place {
  readonly columns: number;
  readonly rows?: number;
}

/** Maximum length of the Base64 in one sequence of kitty's protocol. */
const maxChunk = 4096;

/**
 * Returns the sequences of kitty's graphics protocol that draw a PNG. They tell the terminal not to reply (`q=2`). With
 * `rows`, the cursor does not move.
 */
export function kittySequence(png: Uint8Array, { columns, rows }: Place): string {
  const base64 = Buffer.from(png).toString("base64");
  const place = rows === undefined ? `c=${columns}` : `c=${columns},r=${rows},C=1`;
  let sequences = "";
  for (let at = 0; at < base64.length; at += maxChunk) {
    const options = at === 0 ? `a=T,f=100,q=2,${place},` : "q=2,";
    const more = at + maxChunk < base64.length ? 1 : 0;
    sequences += `\u001b_G${options}m=${more};${base64.slice(at, at + maxChunk)}\u001b\\`;
  }
  return sequences;
}

/**
 * Returns the sequence of iTerm2's protocol that draws a picture. The picture can have any format that the terminal
 * supports. Its aspect ratio is kept.
 */
export function iterm2Sequence(picture: Uint8Array, { columns, rows }: Place): string {
  const place = `width=${columns}${rows === undefined ? "" : `;height=${rows}`}`;
  const options = `inline=1;size=${picture.length};${place};preserveAspectRatio=1`;
  return `\u001b]1337;File=${options}:${Buffer.from(picture).toString("base64")}\u0007`;
}
