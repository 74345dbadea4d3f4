import { firstAt } from "../../output/paths.ts";
import { plainText } from "../../output/plain-text.ts";
import { idOf } from "../shared/records.ts";

/** Tells looks at the rentals apart: what the last look that saw a change saw of it. */
export class Changes {
  #states: ReadonlyMap<string, string> | undefined;
  #marks: ReadonlyMap<string, string> = new Map();
  #gone: readonly string[] = [];

  /** Takes the next look into account. */
  see(rentals: readonly unknown[]): void {
    const before = this.#states;
    const states = new Map(rentals.flatMap((rental) => entry(rental)));
    this.#states = states;
    if (before === undefined) return;
    const marks = new Map(
      [...states].flatMap(([id, state]): [string, string][] => {
        const was = before.get(id);
        if (was === state) return [];
        return [[id, was === undefined ? "new" : `was ${was || "in no known state"}`]];
      }),
    );
    const gone = [...before].filter(([id]) => !states.has(id));
    if (marks.size === 0 && gone.length === 0) return;
    this.#marks = marks;
    this.#gone = gone.map(([id, was]) => `Rental ${id} is no longer listed${was && `; it was ${was}`}.`);
  }

  /** What changed of a rental, in words; nothing when it stayed as it was. */
  mark(rental: unknown): string | undefined {
    return this.#marks.get(idOf(rental) ?? "");
  }

  /** A line for each rental that went. */
  get gone(): readonly string[] {
    return this.#gone;
  }
}

const entry = (rental: unknown): readonly (readonly [string, string])[] => {
  const id = idOf(rental);
  return id === undefined ? [] : [[id, plainText(firstAt(rental, ["state", "status"]))]];
};
