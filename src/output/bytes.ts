const UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** A number of bytes, to one decimal of its unit: `512 B`, `1.5 KiB`, `2 MiB`. */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  let amount = count;
  let name: string = "B";
  for (const unit of UNITS) {
    // What would round up to 1024 is one of the next unit.
    if (amount < 1023.95) break;
    amount /= 1024;
    name = unit;
  }
  return `${Number(amount.toFixed(1))} ${name}`;
}
