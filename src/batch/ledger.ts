import { hash } from "node:crypto";

/** The state of a line. `sent`: the line is in flight, or was in flight when a run ended. */
export type LineState = (typeof states)[number];
const states = ["pending", "sent", "done", "failed", "unknown"] as const;

/** Entries in one block of memory. */
const blockEntries = 1 << 14;
/**
 * 32-bit words of an entry: three for the hash of the ID, two for the hash of the request, one for the line number, and
 * one for the checksum of the line.
 */
const words = 7;
const [requestAt, lineAt, sumAt] = [3, 5, 6];

/**
 * The state of each line of a batch by its ID. Needs about 39 bytes per line, no matter how long the IDs are, because
 * it stores 96 bits of a hash of each ID and compares only those.
 */
export class Ledger {
  #size = 0;
  readonly #blocks: Uint32Array[] = [];
  readonly #states: Uint8Array[] = [];
  /** Hash table of entry numbers + 1. */
  #slots = new Uint32Array(1024);
  readonly #counts = new Float64Array(states.length);

  /** How many IDs there are. */
  get size(): number {
    return this.#size;
  }

  /** How many entries are in this state. */
  count(state: LineState): number {
    return this.#counts[states.indexOf(state)] ?? 0;
  }

  /** The number of the entry with this ID; undefined if there is none. */
  find(id: string): number | undefined {
    const entry = this.#slots[this.#slotOf(hashOf(id))] ?? 0;
    return entry === 0 ? undefined : entry - 1;
  }

  /** The number of the entry with this ID. Adds a `pending` entry if there is none. */
  add(id: string): number {
    const ownHash = hashOf(id);
    let slot = this.#slotOf(ownHash);
    const known = this.#slots[slot] ?? 0;
    if (known > 0) return known - 1;
    if (this.#size * 3 >= this.#slots.length * 2) {
      this.#grow();
      slot = this.#slotOf(ownHash);
    }
    const entry = this.#size;
    if (entry % blockEntries === 0) {
      this.#blocks.push(new Uint32Array(blockEntries * words));
      this.#states.push(new Uint8Array(blockEntries));
    }
    this.#size += 1;
    this.#slots[slot] = this.#size;
    const [first, second, third] = ownHash;
    this.#write(entry, 0, first);
    this.#write(entry, 1, second);
    this.#write(entry, 2, third);
    this.#counts[0] = (this.#counts[0] ?? 0) + 1;
    return entry;
  }

  state(entry: number): LineState {
    return states[this.#states[Math.floor(entry / blockEntries)]?.[entry % blockEntries] ?? 0] ?? "pending";
  }

  setState(entry: number, state: LineState): void {
    const block = this.#states[Math.floor(entry / blockEntries)];
    const [before, after] = [block?.[entry % blockEntries] ?? 0, states.indexOf(state)];
    this.#counts[before] = (this.#counts[before] ?? 0) - 1;
    this.#counts[after] = (this.#counts[after] ?? 0) + 1;
    if (block) block[entry % blockEntries] = after;
  }

  /** The hash of the request, as 16 hexadecimal digits. */
  request(entry: number): string {
    return hex(this.#read(entry, requestAt)) + hex(this.#read(entry, requestAt + 1));
  }

  setRequest(entry: number, hash: string): void {
    this.#write(entry, requestAt, wordAt(hash, 0));
    this.#write(entry, requestAt + 1, wordAt(hash, 8));
  }

  /** The number of the line in the input; 0 for an ID that was not seen there. */
  line(entry: number): number {
    return this.#read(entry, lineAt);
  }

  /** The checksum of the text of the line in the input. */
  sum(entry: number): number {
    return this.#read(entry, sumAt);
  }

  setLine(entry: number, number: number, sum = 0): void {
    this.#write(entry, lineAt, number);
    this.#write(entry, sumAt, sum);
  }

  #read(entry: number, at: number): number {
    return this.#blocks[Math.floor(entry / blockEntries)]?.[(entry % blockEntries) * words + at] ?? 0;
  }

  #write(entry: number, at: number, word: number): void {
    const block = this.#blocks[Math.floor(entry / blockEntries)];
    if (block) block[(entry % blockEntries) * words + at] = word;
  }

  /** The slot of the entry with this hash, or the free slot for it. */
  #slotOf([first, second, third]: IdHash): number {
    const mask = this.#slots.length - 1;
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const entry = (this.#slots[slot] ?? 0) - 1;
      const isFound = () =>
        this.#read(entry, 0) === first && this.#read(entry, 1) === second && this.#read(entry, 2) === third;
      if (entry < 0 || isFound()) return slot;
    }
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let entry = 0; entry < this.#size; entry += 1) {
      let slot = this.#read(entry, 0) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = entry + 1;
    }
  }
}

type IdHash = readonly [number, number, number];

function hashOf(id: string): IdHash {
  // A string, because creating a buffer takes longer than computing the hash.
  const digest = hash("sha1", id, "binary");
  return [unitAt(digest, 0), unitAt(digest, 4), unitAt(digest, 8)];
}

/** The 32-bit word whose first byte is the character at `start`. */
const unitAt = (bytes: string, start: number): number =>
  ((bytes.charCodeAt(start) << 24) |
    (bytes.charCodeAt(start + 1) << 16) |
    (bytes.charCodeAt(start + 2) << 8) |
    bytes.charCodeAt(start + 3)) >>>
  0;

const wordAt = (digits: string, start: number): number => Number.parseInt(digits.slice(start, start + 8), 16);

const hex = (word: number): string => word.toString(16).padStart(8, "0");
