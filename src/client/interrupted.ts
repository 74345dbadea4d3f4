import type { RequestLine } from "./errors.ts";

/** The user interrupted while a write was under way: it may have taken effect. */
export class InterruptedWrite extends Error {
  override readonly name = "InterruptedWrite";
  readonly request: RequestLine;
  constructor({ method, url }: RequestLine) {
    super("interrupted after the request was sent: it may have taken effect");
    this.request = { method, url };
  }
}
