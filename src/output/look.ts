import type { Place } from "./formats.ts";

/** Where and how text is drawn. */
export interface Look extends Place {
  /** Columns of the terminal; a terminal that does not know says 0. */
  readonly width: number;
  readonly color: boolean;
}
