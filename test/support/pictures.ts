import { readdir } from "node:fs/promises";
import { encode } from "fast-png";
import { type Cli, createCli } from "./cli.ts";
import { always } from "./service.ts";

/** A picture of one pixel. */
export const tinyPng = (): Uint8Array =>
  encode({ width: 1, height: 1, data: new Uint8Array([200, 100, 50]), channels: 3, depth: 8 });

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** A CLI whose service returns these images, each with seed 42. */
export const painter = (...images: Uint8Array[]): Promise<Cli> =>
  createCli({
    respond: always(200, {
      images: images.map((bytes, index) => ({ index, image: base64(bytes), random_seed: 42 })),
    }),
  });

/** The names of the files that were saved. */
export const saved = async ({ folder }: Cli): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name !== "config").sort();
