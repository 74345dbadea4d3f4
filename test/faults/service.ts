import type { Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { FetchResponse } from "../../src/client/fetch.ts";
import { createTransport, type Transport } from "../../src/client/transport/transport.ts";
import { listenRaw } from "../client/server.ts";

/** What a fault does with the connection of a request that has arrived completely. */
export type Act = (connection: Connection) => void | Promise<void>;

export interface Connection {
  /** Writes the head of a response, and then `body`. */
  readonly respond: (head: string, body?: string) => void;
  readonly write: (text: string) => void;
  readonly reset: () => void;
  readonly close: () => void;
  /** Resolves when the client has read the first part of the body. */
  readonly partRead: Promise<void>;
}

interface FaultyService {
  readonly origin: string;
  readonly transport: Transport;
  /** The requests that arrived, such as `GET /v2/on-demand/rental`. */
  readonly seen: readonly string[];
}

const emptyList = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]";

/** A service on a raw socket. Requests that match are subject to the fault; all others get an empty list. */
export async function faultyService(matches: (request: string) => boolean, act: Act): Promise<FaultyService> {
  const seen: string[] = [];
  let onPart = () => {};
  const handle = (request: string, socket: Socket): void => {
    seen.push(request);
    if (!matches(request)) {
      socket.write(emptyList);
      return;
    }
    const partRead = new Promise<void>((resolve) => {
      onPart = resolve;
    });
    void act({
      partRead,
      respond: (head, body = "") => socket.write(`HTTP/1.1 ${head}\r\n\r\n${body}`),
      write: (text) => socket.write(text),
      reset: () => socket.resetAndDestroy(),
      close: () => socket.end(),
    });
  };
  const { origin } = await listenRaw((socket) => {
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const [head = "", ...rest] = received.split("\r\n\r\n");
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (rest.length === 0 || rest.join("\r\n\r\n").length < length) return;
      received = "";
      handle(head.slice(0, head.indexOf(" HTTP/")).replace(/\?.*/, ""), socket);
    });
  });
  const { fetch, close } = createTransport();
  onTestFinished(close);
  const transport: Transport = {
    close: () => {},
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      return { ...response, body: response.body && reporting(response.body, () => onPart()) };
    },
  };
  return { origin, transport, seen };
}

/** Passes a body on, and reports when its reader has read a part of it and asks for more. */
async function* reporting(
  body: NonNullable<FetchResponse["body"]>,
  onPart: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk;
    onPart();
  }
}
