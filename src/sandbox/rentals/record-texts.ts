import type { Queries } from "../store/queries.ts";
import { type RentalRow, rentalOf } from "../tables/rentals.ts";
import { attachedVolumes } from "../tables/volumes.ts";
import { billedBefore, nextChange, type StoredRental } from "./lifecycle.ts";
import { type AddressesOf, rentalRecord } from "./record.ts";

/** The JSON of a rental's record. From `from` until just before `until`, only the cost so far changes. */
interface RecordText {
  /** The stored record from which the text was made. */
  readonly source: string;
  readonly rental: StoredRental;
  readonly from: number;
  readonly until: number;
  /** What precedes and what follows the cost. */
  readonly before: string;
  readonly after: string;
}

/** The default maximum number of rentals whose texts are kept. Each text takes about 1.5 kB. */
const defaultMax = 50_000;

const costText = (cents: number): string => `"billedCents":${cents}`;

/**
 * Writes lists of rentals as JSON. Keeps the texts of records, because clients request the same list repeatedly and few
 * of its rentals change in between. A text is used again only for the same stored record, so a change that another
 * process made is never missed.
 */
export class RecordTexts {
  readonly #kept = new Map<number, RecordText>();
  readonly #max: number;

  constructor(max = defaultMax) {
    this.#max = max;
  }

  /** The JSON of `rentalRecords`. The rows must be sorted by id. */
  list(
    { store, addressesOf }: { readonly store: Queries; readonly addressesOf: AddressesOf },
    rows: readonly RentalRow[],
    now: number,
  ): string {
    if (this.#kept.size >= this.#max) this.#removeOthers(rows);
    const volumesOf = attachedVolumes(store, rows);
    const texts = rows.map((row) => {
      const storageVolumeIds = volumesOf(row.id);
      // Volumes and the addresses of machines can change while the stored record stays the same.
      const mayKeep = storageVolumeIds.length === 0 && addressesOf(row.id) === undefined;
      const kept = mayKeep ? this.#find(row, now) : undefined;
      if (kept) return kept.before + costText(billedBefore(kept.rental, now).cents) + kept.after;
      const rental = rentalOf(row);
      const record = rentalRecord({ id: row.id, rental }, { storageVolumeIds, addressesOf, now });
      const text = JSON.stringify(record);
      const [before, after, ...more] = mayKeep ? text.split(costText(record.billedCents)) : [];
      if (before !== undefined && after !== undefined && more.length === 0) {
        const until = nextChange(rental, now);
        this.#keep(row.id, { source: row.record, rental, from: now, until, before, after });
      }
      return text;
    });
    return `[${texts.join(",")}]`;
  }

  #find({ id, record }: RentalRow, now: number): RecordText | undefined {
    const kept = this.#kept.get(id);
    // The clock may go backward when the sandbox is reset or a snapshot is restored.
    return kept?.source === record && kept.from <= now && now < kept.until ? kept : undefined;
  }

  #keep(id: number, text: RecordText): void {
    if (this.#kept.size < this.#max || this.#kept.has(id)) this.#kept.set(id, text);
  }

  /** Removes the texts of rentals that are not in `rows`, for example because they have ended. */
  #removeOthers(rows: readonly RentalRow[]): void {
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of this.#kept.keys()) if (!ids.has(id)) this.#kept.delete(id);
  }
}
