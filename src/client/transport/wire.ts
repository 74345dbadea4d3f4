import { isOpenTooShort, type OutgoingRequest, type Receiver, type ResponseHead } from "./channel.ts";

/** The head of a response whose body can be read without the parser of Node.js. */
export interface PlainHead extends ResponseHead {
  readonly body: BodyReader;
  /** Whether the service keeps the connection open after the response. */
  readonly keepsConnection: boolean;
}

/** Finds the end of a body in the bytes that arrive. */
export interface BodyReader {
  readonly isComplete: boolean;
  /**
   * Passes the bytes of the body on to the receiver. Returns how many bytes belong to the body; any others follow its
   * end. Returns undefined if the format of the body is wrong.
   */
  read(bytes: Uint8Array, receiver: Pick<Receiver, "data">): number | undefined;
}

const headerName = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** What `node:http` accepts in a header. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Methods whose requests usually have no body. Without a body, such a request needs no Content-Length. */
const withoutBody: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);
const visibleAscii = /^[\x21-\x7e]+$/;

/**
 * The head of a request, in Latin-1. Throws a `TypeError` if the method, the path or a header has a character that is
 * not allowed.
 */
export function requestHead({ method, path, headers, body }: OutgoingRequest, host: string): string {
  if (!headerName.test(method) || !visibleAscii.test(path)) {
    throw new TypeError("the method or the path of the request has a character that is not allowed");
  }
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    if (!headerName.test(name) || !headerValue.test(value)) {
      throw new TypeError(`the header ${JSON.stringify(name)} has a character that is not allowed`);
    }
    head += `${name}: ${value}\r\n`;
  }
  if (body !== undefined) head += `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  head += `Host: ${host}\r\nConnection: keep-alive\r\n`;
  if (body === undefined && !withoutBody.has(method)) head += "Content-Length: 0\r\n";
  return `${head}\r\n`;
}

const statusLine = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e]*)?$/;
const headerLine = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+):([\t\x20-\x7e]*)$/;

/**
 * Reads the head of a response, without the empty line at its end. Returns undefined for a response that is left to the
 * parser of Node.js: one that is not HTTP/1.1, has status 1xx, 204 or 304, does not say where its body ends, repeats a
 * header other than Set-Cookie, has a header that is not ASCII or an unusual `Connection` header, or is not valid.
 */
export function plainHead(text: string): PlainHead | undefined {
  const [first = "", ...lines] = text.split("\r\n");
  const status = Number(statusLine.exec(first)?.[1]);
  if (Number.isNaN(status) || status === 204 || status === 304) return undefined;
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (const line of lines) {
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const key = name.toLowerCase();
    if (key === "set-cookie") cookies.push(value.trim());
    else if (key in headers) return undefined;
    else headers[key] = value.trim();
  }
  const body = bodyReader(headers);
  const connection = headers.connection?.toLowerCase() ?? "keep-alive";
  if (body === undefined || (connection !== "keep-alive" && connection !== "close")) return undefined;
  return {
    status,
    headers: cookies.length > 0 ? { ...headers, "set-cookie": cookies } : headers,
    body,
    keepsConnection: connection !== "close" && !isOpenTooShort({ headers }),
  };
}

function bodyReader({
  "content-length": length,
  "transfer-encoding": encoding,
}: Readonly<Record<string, string>>): BodyReader | undefined {
  if (encoding !== undefined) {
    return encoding.toLowerCase() === "chunked" && length === undefined ? new ChunkedBody() : undefined;
  }
  return length !== undefined && /^\d{1,15}$/.test(length) ? new MeasuredBody(Number(length)) : undefined;
}

/** A body whose length is known. */
class MeasuredBody implements BodyReader {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get isComplete(): boolean {
    return this.#left === 0;
  }

  read(bytes: Uint8Array, receiver: Pick<Receiver, "data">): number {
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= part.length;
    if (part.length > 0) receiver.data(part);
    return part.length;
  }
}

/** The maximum length of a line that is not part of a chunk, in bytes. */
const maxLine = 16 * 1024;
/** The maximum number of trailers: headers after the last chunk. Their contents are ignored. */
const maxTrailers = 100;
const trailer = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;
const sizeLine = /^(?=[\da-f])0*[\da-f]{0,12}(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;
const lineFeed = 0x0a;

/**
 * Chunks that are not longer than this are joined, so that a body of tiny chunks takes no more memory than its bytes.
 */
const maxJoined = 1024;
/** One buffer is enough for all bodies, because `read` passes its bytes on before it returns. */
const joined = Buffer.allocUnsafeSlow(16 * maxJoined);

/** A body in chunks: each is preceded by a line with its size, and followed by an empty line. */
class ChunkedBody implements BodyReader {
  #next: "size" | "chunk" | "separator" | "trailer" | "nothing" = "size";
  /** The part of a line that has arrived. */
  #line = "";
  /** How many bytes of the chunk have not arrived yet. */
  #left = 0;
  #trailers = 0;

  get isComplete(): boolean {
    return this.#next === "nothing";
  }

  read(bytes: Uint8Array, receiver: Pick<Receiver, "data">): number | undefined {
    let length = 0;
    const flush = () => {
      if (length > 0) receiver.data(joined.subarray(0, length));
      length = 0;
    };
    const pass = (part: Uint8Array) => {
      if (length + part.length > joined.length) flush();
      if (part.length > maxJoined) {
        flush();
        receiver.data(part);
      } else {
        joined.set(part, length);
        length += part.length;
      }
    };
    const read = this.#readParts(bytes, pass);
    flush();
    return read;
  }

  #readParts(bytes: Uint8Array, pass: (part: Uint8Array) => void): number | undefined {
    let at = 0;
    while (at < bytes.length && this.#next !== "nothing") {
      if (this.#next === "chunk") {
        const part = bytes.subarray(at, at + this.#left);
        at += part.length;
        this.#left -= part.length;
        if (this.#left === 0) this.#next = "separator";
        pass(part);
        continue;
      }
      const end = bytes.indexOf(lineFeed, at);
      const stop = end < 0 ? bytes.length : end + 1;
      if (this.#line.length + stop - at > maxLine) return undefined;
      for (; at < stop; at += 1) this.#line += String.fromCharCode(bytes[at] ?? 0);
      if (end >= 0 && !this.#endLine()) return undefined;
    }
    return at;
  }

  /** Returns false if the line is not valid here. */
  #endLine(): boolean {
    const line = this.#line.slice(0, -2);
    const isWhole = this.#line.endsWith("\r\n");
    this.#line = "";
    switch (this.#next) {
      case "size":
        if (!sizeLine.test(line)) return false;
        this.#left = Number.parseInt(line, 16);
        this.#next = this.#left === 0 ? "trailer" : "chunk";
        return isWhole;
      case "separator":
        this.#next = "size";
        return isWhole && line === "";
      default:
        if (line === "") this.#next = "nothing";
        else this.#trailers += 1;
        return isWhole && this.#trailers <= maxTrailers && (line === "" || trailer.test(line));
    }
  }
}
