import { readFile } from "node:fs/promises";
import decode, { init } from "@jsquash/webp/decode.js";
import { locate } from "../locate.ts";

let ready: Promise<void> | undefined;

/**
 * The pixels of a WebP picture, four bytes each: red, green, blue, alpha. The decoder's WebAssembly file is
 * read once, from beside this code in a bundle, else from its package.
 */
export async function decodeWebp(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<{ width: number; height: number; data: Uint8ClampedArray }> {
  ready ??= start();
  await ready;
  const { width, height, data } = await decode(bytes.buffer);
  return { width, height, data };
}

async function start(): Promise<void> {
  const wasmBinary = await readFile(
    locate("./webp_dec.wasm") ?? locate("@jsquash/webp/codec/dec/webp_dec.wasm") ?? missing(),
  );
  const options = { noInitialRun: true, wasmBinary };
  await init(options);
}

function missing(): never {
  throw new Error("the WebP decoder is not installed");
}
