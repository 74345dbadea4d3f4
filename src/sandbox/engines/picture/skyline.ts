/** The top edge of one range: for each column, how many pixels from the top of the canvas. */
export type Skyline = Float64Array;
