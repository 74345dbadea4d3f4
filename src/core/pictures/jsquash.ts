import { readFile } from "node:fs/promises";
import { locate } from "../runtime/packages.ts";
import { once } from "../tasks/once.ts";

/** RGBA pixels, four bytes each. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

interface Codec {
  readonly default: (file: ArrayBuffer) => Promise<Pixels>;
  readonly init: (options: {
    noInitialRun: boolean;
    wasmBinary: Buffer;
    print: (line: string) => void;
    printErr: (line: string) => void;
  }) => Promise<unknown>;
}

export const decodeWebp = decoder(
  () => import("@jsquash/webp/decode.js"),
  "webp_dec.wasm",
  "@jsquash/webp/codec/dec/webp_dec.wasm",
);

export const decodeJpeg = decoder(
  () => import("@jsquash/jpeg/decode.js"),
  "mozjpeg_dec.wasm",
  "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm",
);

/**
 * Returns a decoder that is loaded on first use. Its WebAssembly is read from the bundle's folder or the package, not
 * from a URL.
 */
function decoder(load: () => Promise<Codec>, bundled: string, packaged: string): Codec["default"] {
  const ready = once(async () => {
    const { default: decode, init } = await load();
    const file = locate(`./${bundled}`) ?? locate(packaged);
    if (file === undefined) throw new Error(`${bundled} is not installed`);
    const quiet = { print: () => {}, printErr: () => {} };
    await init({ noInitialRun: true, wasmBinary: await readFile(file), ...quiet });
    return decode;
  });
  return async (file) => {
    const decode = await ready();
    // For a broken file, the decoders throw an error without a reason, or an `ExitStatus`, which is not an `Error`.
    return decode(file).catch((cause: unknown) => {
      throw new Error("it is broken", { cause });
    });
  };
}
