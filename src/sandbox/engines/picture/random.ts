import { createHash } from "node:crypto";

/** A seeded random number generator, reproducible on every machine. */
export type Random = {
  /** A number from `low` (inclusive) to `high` (exclusive). */
  between(low: number, high: number): number;
  /** An integer from 0 to 2^32 - 1. */
  integer(): number;
  /** One of the choices, with equal probability. */
  pick<T>(choices: readonly [T, ...T[]]): T;
};

/** An sfc32 generator, seeded with the SHA-256 of the text. */
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

/** Parameters of one-dimensional noise. */
export type Relief = {
  /** Number of layers, each with twice the frequency of the previous one. */
  octaves: number;
  /** Amplitude of each layer relative to the previous one. */
  roughness: number;
  /** Whether crests are sharp, like mountains, or round. */
  sharp: boolean;
};

/** One-dimensional noise, 0-1. Uses only basic arithmetic, so it is the same on every machine. */
export function noise(seed: number, at: number, relief: Relief): number {
  let sum = 0;
  let total = 0;
  let height = 1;
  let scale = 1;
  for (let octave = 0; octave < relief.octaves; octave++) {
    const value = smooth(seed + octave * 1013, at * scale);
    sum += height * (relief.sharp && octave < 3 ? 1 - Math.abs(2 * value - 1) : value);
    total += height;
    height *= relief.roughness;
    scale *= 2;
  }
  return sum / total;
}

function smooth(seed: number, at: number): number {
  const cell = Math.floor(at);
  const share = at - cell;
  const eased = share * share * (3 - 2 * share);
  const from = lattice(seed, cell);
  return from + (lattice(seed, cell + 1) - from) * eased;
}

/** A fixed number 0-1 for each integer position. */
function lattice(seed: number, cell: number): number {
  let bits = Math.imul(seed ^ Math.imul(cell, 0x27d4eb2d), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 15), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 0xffffffff;
}
