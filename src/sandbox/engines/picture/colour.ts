/** Red, green and blue, each a whole number 0-255. */
export type Colour = readonly [red: number, green: number, blue: number];

/** The colour of a six-digit hexadecimal number: `rgb(0xff8800)`. */
export function rgb(hex: number): Colour {
  return [hex >>> 16, (hex >>> 8) & 255, hex & 255];
}

/** `share` of the way from one colour to another; a share over 1 goes on beyond it, as far as colours go. */
export function mix(from: Colour, to: Colour, share: number): Colour {
  const part = (a: number, b: number) => Math.min(255, Math.max(0, Math.round(a + (b - a) * share))) | 0;
  return [part(from[0], to[0]), part(from[1], to[1]), part(from[2], to[2])];
}

/** The colour moved away from its grey (`strength` over 1) or towards it (under 1). */
export function saturate(colour: Colour, strength: number): Colour {
  const grey = Math.round(0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]);
  return mix([grey, grey, grey], colour, strength);
}
