export { bytes } from "./bytes.ts";
export { duration, parseDuration } from "./durations.ts";
export { dollars, exactDollars, parseDollars } from "./money.ts";
export { parseTime, relativeTime } from "./time.ts";
