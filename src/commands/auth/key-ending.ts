/** A key shorter than this is not shown by its end, which would be too much of it. */
const shortest = 12;

/** The last four characters of a key, to know it by; nothing of a short one. */
export const keyEnding = (key: string): string => (key.length < shortest ? "" : key.slice(-4));
