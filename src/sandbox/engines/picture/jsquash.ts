import { readFile } from "node:fs/promises";
import { once } from "../../../core/once.ts";
import { locate } from "../../packages.ts";

/** RGBA pixels, four bytes each. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

type Decode = (bytes: Uint8Array<ArrayBuffer>) => Promise<Pixels>;

const webp = once(async (): Promise<Decode> => {
  const { default: decode, init } = await import("@jsquash/webp/decode.js");
  await init(await moduleOptions("webp_dec.wasm", "@jsquash/webp/codec/dec/webp_dec.wasm"));
  return ({ buffer }) => decode(buffer);
});

const jpeg = once(async (): Promise<Decode> => {
  const { default: decode, init } = await import("@jsquash/jpeg/decode.js");
  await init(await moduleOptions("mozjpeg_dec.wasm", "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm"));
  return ({ buffer }) => decode(buffer);
});

export const decodeWebp: Decode = async (bytes) => (await webp())(bytes);

export const decodeJpeg: Decode = async (bytes) => (await jpeg())(bytes);

/** The libraries fetch their WebAssembly by URL; this reads it from the bundle's folder or the package instead. */
async function moduleOptions(bundled: string, packaged: string) {
  const file = locate(`./${bundled}`) ?? locate(packaged);
  if (file === undefined) throw new Error(`${bundled} is not installed`);
  return { noInitialRun: true, wasmBinary: await readFile(file) };
}
