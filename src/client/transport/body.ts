import type { Convert, ResponseBody } from "../fetch.ts";
import type { Exchange } from "./channel.ts";

/** How many bytes may wait for the reader before no more are asked for. */
const maxWaiting = 256 * 1024;

/** The body of a response that is read while it arrives. */
export class ArrivingBody implements ResponseBody {
  readonly #exchange: Exchange;
  #convert: Convert = (part) => [Buffer.from(part)];
  /** What was converted and not read yet. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #end: { readonly error?: unknown } | undefined;
  #wake = () => {};

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  push(part: Uint8Array): void {
    if (this.#end) return;
    try {
      this.#keep(this.#convert(part));
    } catch (error) {
      this.fail(error);
      this.#exchange.destroy();
    }
  }

  end(): void {
    this.#end ??= {};
    this.#wake();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        for (let part = this.#waiting.shift(); part; part = this.#waiting.shift()) {
          this.#waitingBytes -= part.length;
          yield part;
        }
        if (this.#end) break;
        this.#exchange.resume();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if ("error" in this.#end) throw this.#end.error;
    } finally {
      this.#exchange.destroy();
    }
  }

  async *converted(convert: Convert): AsyncGenerator<Uint8Array> {
    this.#convert = convert;
    const parts = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    for (const part of parts) this.#keep(convert(part));
    yield* this;
  }

  #keep(parts: readonly Uint8Array[]): void {
    for (const part of parts) {
      this.#waiting.push(part);
      this.#waitingBytes += part.length;
    }
    if (this.#waitingBytes > maxWaiting) this.#exchange.pause();
    if (parts.length > 0) this.#wake();
  }
}
