import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import encode, { init } from "@jsquash/jpeg/encode.js";

const wasm = createRequire(import.meta.url).resolve("@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm");
await init({ noInitialRun: true, wasmBinary: await readFile(wasm) });

/** Encodes pixels as a JPEG. Each pixel has four bytes: red, green, blue and alpha. */
export async function encodeJpeg(
  width: number,
  height: number,
  rgba: Uint8Array,
  quality: number,
): Promise<Uint8Array> {
  const data = new Uint8ClampedArray(rgba);
  return new Uint8Array(await encode({ width, height, data, colorSpace: "srgb" }, { quality }));
}
