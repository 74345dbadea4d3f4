import type { FetchInit } from "../fetch.ts";

/** The connections to the host of a URL. */
export interface Channel {
  /** The host, with its port if the URL has one. */
  readonly host: string;
  /**
   * Sends a request once, on a new connection or an idle one. At most one of the receiver's functions `failed` and
   * `end` is called.
   */
  readonly begin: (request: OutgoingRequest, receiver: Receiver) => Exchange;
  /** Closes every connection, so that the process can end. */
  readonly close: () => void;
}

export interface OutgoingRequest extends Pick<FetchInit, "method" | "headers" | "body"> {
  /** Includes the query. */
  readonly path: string;
}

/** Receives a response while it arrives. */
export interface Receiver {
  /** The whole request was given to the operating system. */
  readonly sent?: () => void;
  readonly head: (head: ResponseHead) => void;
  /** A part of the body. The bytes are valid only during the call, because the next part replaces them. */
  readonly data: (part: Uint8Array) => void;
  /** The response is complete. */
  readonly end: () => void;
  /** There is no response, or it is not complete. A `ConnectionFailed` says whether the request may have been sent. */
  readonly failed: (cause: unknown) => void;
}

export interface ResponseHead {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A request whose response is not complete yet. After the end of the exchange, its methods do nothing. */
export interface Exchange {
  /** Stops reading from the connection. Parts that were already read may still follow. */
  readonly pause: () => void;
  readonly resume: () => void;
  /**
   * Ends the exchange. The receiver's `failed` gets the reason, or, if the request cannot have been sent, a
   * `ConnectionFailed`.
   */
  readonly abort: (reason: unknown) => void;
  /** Ends the exchange without calling the receiver. */
  readonly destroy: () => void;
}

/** Milliseconds. A connection that was idle for longer is not used again, except by a read that uses `node:http`. */
export const maxIdleTime = 1_000;

/**
 * Whether the service keeps idle connections open for no longer than gpuctl does, according to its Keep-Alive header.
 */
export const isOpenTooShort = ({ headers }: Pick<ResponseHead, "headers">): boolean =>
  Number(/\btimeout=(\d+)/i.exec(String(headers["keep-alive"]))?.[1]) * 1000 <= maxIdleTime;
