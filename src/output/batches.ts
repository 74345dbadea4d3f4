/** Records that are all there, as records that come by and by. */
export async function* allAtOnce(records: readonly unknown[]): AsyncGenerator<readonly unknown[]> {
  yield records;
}

export interface Slab {
  readonly records: readonly unknown[];
  /** Nothing comes after it. */
  readonly last: boolean;
}

/** Records put together so many at a time; at the end what is left, at least one slab in any case. */
export async function* slabs(batches: AsyncIterable<readonly unknown[]>, size: number): AsyncGenerator<Slab> {
  let gathered: readonly unknown[] = [];
  for await (const batch of batches) {
    gathered = gathered.length === 0 ? batch : gathered.concat(batch);
    for (; gathered.length > size; gathered = gathered.slice(size)) {
      yield { records: gathered.slice(0, size), last: false };
    }
  }
  yield { records: gathered, last: true };
}
