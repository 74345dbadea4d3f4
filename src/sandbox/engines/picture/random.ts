import { createHash } from "node:crypto";

/** Draws from one seeded stream: the same on every machine. */
export type Random = {
  /** A number from `low` up to, and without, `high`. */
  between(low: number, high: number): number;
  /** One of 2^32 integers, from 0. */
  integer(): number;
  /** One of the choices, all as likely. */
  pick<T>(choices: readonly [T, ...T[]]): T;
};

/** A stream of the sfc32 generator, seeded with the SHA-256 of the text. */
export function randomFrom(text: string): Random {
  const digest = createHash("sha256").update(text).digest();
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let counter = digest.readInt32LE(12);
  const integer = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  const between = (low: number, high: number) => low + ((high - low) * integer()) / 0x1_0000_0000;
  return {
    between,
    integer,
    pick: (choices) => choices[Math.floor(between(0, choices.length))] ?? choices[0],
  };
}
