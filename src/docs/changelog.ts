/**
 * The day of the newest version in a changelog, `YYYY-MM-DD`.
 * Throws when there is none: manual pages need a date, and today's would change them with every build.
 */
export function newestDay(changelog: string): string {
  const day = /^## \[\d[^\]]*\] - (\d{4}-\d{2}-\d{2})$/m.exec(changelog)?.[1];
  if (day === undefined) throw new Error("CHANGELOG.md has no version with a date");
  return day;
}

/** The day of `SOURCE_DATE_EPOCH` (seconds since 1970), which packagers set; undefined when invalid. */
export function packagersDay(seconds: string | undefined): string | undefined {
  if (seconds === undefined || !/^\d{1,11}$/.test(seconds)) return undefined;
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 10);
}
