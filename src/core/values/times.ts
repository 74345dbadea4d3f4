/** Does not match the years 0 to 99, which stand for an unknown time. */
const stamp =
  /^((?!00)\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(?:[Zz]|([+-])(\d\d):?(\d\d)?)?)?$/;

/**
 * Parses a timestamp in ISO 8601 or in the format of databases (`2026-09-12 13:59:00.123+00`) into milliseconds since
 * the epoch. A timestamp without an offset is in UTC. Undefined for anything else, including dates that do not exist.
 */
export function parseTime(text: string): number | undefined {
  const match = stamp.exec(text.trim());
  if (match === null) return undefined;
  const [, date, time = "00:00", second = "00", fraction = "", sign, hours = 0, minutes = 0] = match;
  const iso = `${date}T${time}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}Z`;
  const utc = Date.parse(iso);
  if (Number.isNaN(utc) || new Date(utc).toISOString() !== iso) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === "-" ? utc + offset : utc - offset;
}
