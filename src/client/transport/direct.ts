import { connect, isIP, type OnReadOpts, type Socket } from "node:net";
import { Duplex } from "node:stream";
import type * as tls from "node:tls";
import { responseLimits } from "../../contract/plain/response-limits.ts";
import { type Channel, type Exchange, maxIdleTime, type OutgoingRequest, type Receiver } from "./channel.ts";
import { connectionFailed, notConnected } from "./failures.ts";
import { lookupLocalhost } from "./hosts.ts";
import { type PlainHead, plainHead, requestHead } from "./wire.ts";

/**
 * The buffer that all sockets read into. One buffer is enough, because its bytes are used or copied before a socket
 * reads again. A larger buffer would not save processor time.
 */
const received = Buffer.allocUnsafeSlow(120 * 1024);

interface DirectOptions {
  /** Whether a connection is used for more than one request. */
  readonly isShared: boolean;
  /** Opens TLS connections, for https. */
  readonly secure?: ((options: tls.ConnectionOptions) => tls.TLSSocket) | undefined;
}

/**
 * Connections to a host without a proxy. They write requests and read responses without `node:http`, which takes three
 * times the processor time for a short response, and several milliseconds to load. If `plainHead` rejects the head of a
 * response, the parser of Node.js reads the response.
 */
export class DirectChannel implements Channel {
  readonly host: string;
  readonly #options: DirectOptions;
  /** Whether a connection is used for more than one request. */
  isShared: boolean;
  readonly #openSocket: (onread: OnReadOpts) => Socket;
  readonly #connections = new Set<Connection>();
  /** In the order in which they became idle. */
  readonly #idle: Connection[] = [];
  /** Shortens the TLS handshake of the next connection. */
  #session: Buffer | undefined;
  #isClosed = false;

  constructor({ hostname, host, port, protocol }: URL, options: DirectOptions) {
    this.host = host;
    this.#options = options;
    this.isShared = options.isShared;
    const name = hostname.replace(/^\[|\]$/g, "");
    // The same options as those of the agents of `node:http` and `node:https`.
    const address = {
      host: name,
      port: Number(port) || (protocol === "https:" ? 443 : 80),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 1000,
      ...(hostname.endsWith(".localhost") && { lookup: lookupLocalhost }),
    };
    const servername = isIP(name) ? "" : name;
    const { secure } = options;
    this.#openSocket = (onread) => {
      if (!secure) return connect({ ...address, onread });
      const session = this.#session && { session: this.#session };
      const options = { ...address, ...session, servername, ALPNProtocols: ["http/1.1"], onread };
      return secure(options)
        .on("session", (ticket) => {
          this.#session = ticket;
        })
        .on("error", () => {
          this.#session = undefined;
        });
    };
  }

  begin(request: OutgoingRequest, receiver: Receiver): Exchange {
    const head = requestHead(request, this.host);
    const connection = this.#takeIdle() ?? this.#open();
    const exchange = new DirectExchange(connection, { request, receiver, head, ...this.#options });
    connection.exchange = exchange;
    if (connection.isReady) exchange.write();
    return exchange;
  }

  /** Sends an unsent request on a new connection. If the channel was closed, the request fails. */
  restart(exchange: DirectExchange): void {
    if (this.#isClosed) {
      exchange.fail(hangUp());
      return;
    }
    const connection = this.#open();
    connection.exchange = exchange;
    exchange.connection = connection;
  }

  close(): void {
    this.#isClosed = true;
    for (const { socket } of this.#connections) socket.destroy();
  }

  /** Takes back a connection after a complete response. */
  release(connection: Connection): void {
    this.#closeExpired();
    connection.socket.resume().unref();
    connection.idleSince = performance.now();
    this.#idle.push(connection);
    // More data may have arrived together with the response. It would be mistaken for the response to the next request.
    // Therefore, the next request is written only after everything that has arrived was read.
    connection.isReady = false;
    setImmediate(() => {
      // Nothing is sent on a connection that was closed meanwhile. Its `close` event follows.
      if (connection.socket.destroyed) return;
      connection.isReady = true;
      connection.exchange?.write();
    });
  }

  #takeIdle(): Connection | undefined {
    this.#closeExpired();
    if (!this.isShared) return undefined;
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      if (last.socket.writable && last.socket.readable) {
        last.socket.ref();
        return last;
      }
    }
    return undefined;
  }

  #closeExpired(): void {
    const earliest = performance.now() - maxIdleTime;
    while (this.#idle[0] && this.#idle[0].idleSince <= earliest) this.#idle.shift()?.socket.destroy();
  }

  #open(): Connection {
    const connection: Connection = new Connection(this, {
      openSocket: this.#openSocket,
      connected: this.#options.secure ? "secureConnect" : "connect",
      closed: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
    return connection;
  }
}

/** A connection that is used for one request after another. */
class Connection {
  readonly channel: DirectChannel;
  readonly socket: Socket;
  /** Undefined while the connection is idle. */
  exchange: DirectExchange | undefined;
  #isConnected = false;
  /** Whether a request can be written at once. */
  isReady = false;
  idleSince = 0;

  constructor(
    channel: DirectChannel,
    options: {
      readonly openSocket: (onread: OnReadOpts) => Socket;
      readonly connected: "connect" | "secureConnect";
      readonly closed: () => void;
    },
  ) {
    this.channel = channel;
    const callback = (length: number) => {
      // Data that arrives before a request was sent cannot be its response.
      if (this.exchange?.isSent) this.exchange.receive(received.subarray(0, length));
      else {
        this.channel.isShared = false;
        this.#abandon();
      }
      return true;
    };
    this.socket = options.openSocket({ buffer: received, callback });
    this.socket.once(options.connected, () => {
      this.#isConnected = true;
      this.isReady = true;
      this.exchange?.write();
    });
    // Without a listener, the error of an idle connection would end gpuctl.
    this.socket.on("error", (cause) => {
      this.#noteEarlyEnd();
      if (!this.#abandon()) this.exchange?.fail(cause);
    });
    this.socket.once("end", () => {
      this.#noteEarlyEnd();
      if (!this.#abandon()) this.exchange?.finish();
    });
    this.socket.once("close", () => {
      options.closed();
      if (!this.#abandon()) this.exchange?.fail(hangUp());
    });
  }

  /**
   * If a connection that has already carried a request ends early, this may mean that the service closes connections
   * after a response without saying so. A request on such a connection may be lost, so each later request gets a new
   * connection.
   */
  #noteEarlyEnd(): void {
    const isEarly = performance.now() - this.idleSince < maxIdleTime || this.exchange?.isSent;
    if (this.idleSince > 0 && isEarly && !this.exchange?.hasHead) this.channel.isShared = false;
  }

  /**
   * Closes an open connection on which no request is under way. A request that waits for this connection is sent on
   * another one. If the connection is not open yet, or a request is under way, does nothing and returns false.
   */
  #abandon(): boolean {
    const { exchange } = this;
    if (!this.#isConnected || exchange?.isSent) return false;
    this.exchange = undefined;
    this.socket.destroy();
    if (exchange) this.channel.restart(exchange);
    return true;
  }
}

/** The error of `node:http` for a connection that ended before a response. */
const hangUp = (): NodeJS.ErrnoException =>
  Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });

interface ExchangeOptions extends DirectOptions {
  readonly request: OutgoingRequest;
  readonly receiver: Receiver;
  /** The head of the request. */
  readonly head: string;
}

class DirectExchange implements Exchange {
  connection: Connection;
  isSent = false;
  readonly #options: ExchangeOptions;
  #isEnded = false;
  #head: PlainHead | undefined;
  /** Passes the response on to the parser of Node.js. */
  #replay: Replay | undefined;

  constructor(connection: Connection, options: ExchangeOptions) {
    this.connection = connection;
    this.#options = options;
  }

  write(): void {
    const { head, request, receiver } = this.#options;
    const { socket } = this.connection;
    const sent = (error?: Error | null) => {
      if (!error && !this.#isEnded) receiver.sent?.();
    };
    this.isSent = true;
    const { body = "" } = request;
    if (isAscii.test(head)) socket.write(`${head}${body}`, sent);
    else socket.write(Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]), sent);
  }

  /** Whether the response has begun. */
  get hasHead(): boolean {
    return this.#head !== undefined || this.#replay !== undefined;
  }

  receive(bytes: Buffer): void {
    if (this.#replay) this.#replay.push(bytes);
    else this.#read(bytes);
  }

  /** The service has ended the connection. */
  finish(): void {
    if (this.#replay) this.#replay.end();
    else this.fail(hangUp());
  }

  fail(cause: NodeJS.ErrnoException): void {
    if (this.#isEnded) return;
    if (this.#replay) {
      this.#replay.fail(cause);
      return;
    }
    this.destroy();
    this.#options.receiver.failed(
      this.#head
        ? Object.assign(new Error("aborted", { cause }), { code: "ECONNRESET" })
        : connectionFailed(cause, this.connection.channel.host, this.isSent),
    );
  }

  abort(reason: unknown): void {
    if (this.#isEnded) return;
    this.destroy();
    this.#options.receiver.failed(this.isSent ? reason : notConnected(this.connection.channel.host, reason));
  }

  destroy(): void {
    if (this.#isEnded) return;
    this.#leave();
    this.#replay?.destroy();
    this.connection.socket.destroy();
  }

  pause(): void {
    if (this.#isEnded) return;
    if (this.#replay) this.#replay.pause();
    else this.connection.socket.pause();
  }

  resume(): void {
    if (this.#isEnded) return;
    if (this.#replay) this.#replay.resume();
    else this.connection.socket.resume();
  }

  #leave(): void {
    this.#isEnded = true;
    this.connection.exchange = undefined;
  }

  #read(bytes: Buffer): void {
    const { request, receiver } = this.#options;
    let rest = bytes;
    if (this.#head === undefined) {
      const end = bytes.indexOf("\r\n\r\n");
      const isShort = end >= 0 && end < responseLimits.headers && request.method !== "HEAD";
      const head = isShort ? plainHead(bytes.toString("latin1", 0, end)) : undefined;
      if (head === undefined) {
        this.#startReplay(bytes);
        return;
      }
      this.#head = head;
      receiver.head(head);
      rest = bytes.subarray(end + 4);
    }
    const { body, keepsConnection } = this.#head;
    const length = body.read(rest, receiver);
    // The receiver may have ended the exchange.
    if (this.#isEnded) return;
    if (length === undefined) this.fail(new Error("the format of the body is wrong"));
    if (length === undefined || !body.isComplete) return;
    this.#leave();
    const { channel, socket } = this.connection;
    const isReusable =
      channel.isShared && keepsConnection && length === rest.length && socket.writableLength === 0;
    if (isReusable) channel.release(this.connection);
    else socket.destroy();
    receiver.end();
  }

  #startReplay(bytes: Buffer): void {
    const { request, receiver } = this.#options;
    const { channel, socket } = this.connection;
    this.#replay = new Replay(request, {
      host: channel.host,
      socket,
      receiver: {
        head: (head) => this.#isEnded || receiver.head(head),
        data: (part) => this.#isEnded || receiver.data(part),
        end: () => {
          if (this.#isEnded) return;
          this.destroy();
          receiver.end();
        },
        failed: (cause) => {
          if (this.#isEnded) return;
          this.destroy();
          receiver.failed(cause);
        },
      },
    });
    this.#replay.push(bytes);
  }
}

const isAscii = /^[\0-\x7f]*$/;

/** Reads a response with the parser of Node.js, for a request that was sent without `node:http`. */
class Replay {
  readonly #socket: Socket;
  /**
   * Stands in for the connection in `node:http`. Drops what `node:http` writes, because the request was already sent.
   */
  readonly #connection: Duplex;
  #exchange: Exchange | undefined;
  #hasEnded = false;
  /** Why the connection broke before `node:http` was loaded. */
  #failure: Error | undefined;

  constructor(
    request: OutgoingRequest,
    {
      host,
      socket,
      receiver,
    }: { readonly host: string; readonly socket: Socket; readonly receiver: Receiver },
  ) {
    this.#socket = socket;
    this.#connection = new Duplex({
      read: () => void socket.resume(),
      write: (_bytes, _encoding, done) => done(),
    });
    // Without a listener, an error before `node:http` listens would end gpuctl. `receiveWithNode` reports the error.
    this.#connection.on("error", () => {});
    import("./node-http.ts").then(({ receiveWithNode }) => {
      this.#exchange = receiveWithNode(request, { host, connection: this.#connection, receiver });
      // The delay lets `node:http` read everything that arrived before the failure.
      if (this.#failure) setImmediate(() => this.#connection.destroy(this.#failure));
    }, receiver.failed);
  }

  push(bytes: Uint8Array): void {
    if (!this.#connection.destroyed && !this.#connection.push(Buffer.from(bytes))) this.#socket.pause();
  }

  /** The service has ended the connection. */
  end(): void {
    this.#hasEnded = true;
    this.#connection.push(null);
  }

  fail(cause: Error): void {
    // `node:http` is still reading what arrived before the end.
    if (this.#hasEnded) return;
    if (this.#exchange) this.#connection.destroy(cause);
    else this.#failure ??= cause;
  }

  pause(): void {
    this.#exchange?.pause();
  }

  resume(): void {
    this.#exchange?.resume();
  }

  destroy(): void {
    this.#exchange?.destroy();
    this.#connection.destroy();
  }
}
