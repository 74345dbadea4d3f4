/**
 * The date of the latest release in a changelog, `YYYY-MM-DD`.
 * Throws if there is none: manual pages need a date, and the current date would change them with every build.
 */
export function latestReleaseDate(changelog: string): string {
  const date = /^## \[\d[^\]]*\] - (\d{4}-\d{2}-\d{2})$/m.exec(changelog)?.[1];
  if (date === undefined) throw new Error("CHANGELOG.md has no version with a date");
  return date;
}

/** The date of `SOURCE_DATE_EPOCH` (seconds since 1970), which packagers set; undefined if missing or invalid. */
export function sourceDate(seconds: string | undefined): string | undefined {
  if (seconds === undefined || !/^\d{1,11}$/.test(seconds)) return undefined;
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 10);
}
