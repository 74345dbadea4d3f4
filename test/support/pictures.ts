import { encode } from "fast-png";

/** A picture of one pixel. */
export const tinyPng = (): Uint8Array =>
  encode({ width: 1, height: 1, data: new Uint8Array([200, 100, 50]), channels: 3, depth: 8 });
