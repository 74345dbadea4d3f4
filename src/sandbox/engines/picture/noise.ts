/** The character of a line of noise. */
export type Relief = {
  /** How many layers of detail, each twice as fine as the one before. */
  octaves: number;
  /** How high each layer is, as a share of the one before. */
  roughness: number;
  /** Whether crests are sharp, as mountains have them, or round. */
  sharp: boolean;
};

/** Noise along a line, 0-1, by plain arithmetic and so the same on every machine. */
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

/** A fixed number 0-1 for each whole position. */
function lattice(seed: number, cell: number): number {
  let bits = Math.imul(seed ^ Math.imul(cell, 0x27d4eb2d), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 15), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 0xffffffff;
}
