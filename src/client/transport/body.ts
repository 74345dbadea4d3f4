import type { Convert, ResponseBody } from "../fetch.ts";
import type { Exchange } from "./channel.ts";

/** If more bytes than this are unread, the exchange is paused. */
const maxWaiting = 256 * 1024;
/** The overhead in bytes that is counted for each unread part. */
const partSize = 128;

/** The body of a response that is read while it arrives. */
export class ArrivingBody implements ResponseBody {
  readonly #exchange: Exchange;
  #convert: Convert = (part) => [Buffer.from(part)];
  /** The parts that were converted but not read yet. */
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
        // Checked first, because more parts, and the end, may arrive while the reader takes these parts.
        const isEnd = this.#end !== undefined;
        yield* this.#takeWaiting();
        if (isEnd) break;
        if (this.#end || this.#waiting.length > 0) continue;
        this.#exchange.resume();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.#end && "error" in this.#end) throw this.#end.error;
    } finally {
      this.#exchange.destroy();
    }
  }

  async *converted(convert: Convert): AsyncGenerator<Uint8Array> {
    this.#convert = convert;
    try {
      for (const part of this.#takeWaiting()) this.#keep(convert(part));
      yield* this;
    } finally {
      this.#exchange.destroy();
    }
  }

  #takeWaiting(): readonly Uint8Array[] {
    const parts = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return parts;
  }

  #keep(parts: readonly Uint8Array[]): void {
    for (const part of parts) {
      this.#waiting.push(part);
      this.#waitingBytes += part.length + partSize;
    }
    if (this.#waitingBytes > maxWaiting) this.#exchange.pause();
    if (parts.length > 0) this.#wake();
  }
}
