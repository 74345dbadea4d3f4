import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface LocalServer {
  readonly origin: string;
  readonly port: number;
  /** Complete requests, in order of arrival. */
  readonly seen: readonly SeenRequest[];
  /** The number of connections opened so far. */
  readonly connections: () => number;
}

type Responder = (request: SeenRequest, response: ServerResponse, index: number) => void;

/** An HTTP server on a free local port, closed when the test ends. `respond` runs once a whole request has arrived. */
export async function listen(respond: Responder): Promise<LocalServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers, rawHeaders } = request;
      const seenRequest = { method, path, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
      seen.push(seenRequest);
      respond(seenRequest, response, seen.length - 1);
    });
  });
  return { ...(await open(server)), seen };
}

/** A raw TCP server. `received` returns all bytes from clients as Latin-1 text. */
export async function listenRaw(
  onConnection: (socket: Socket) => void,
): Promise<Omit<LocalServer, "seen"> & { readonly received: () => string }> {
  let received = "";
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    onConnection(socket);
  });
  return { ...(await open(server)), received: () => received };
}

/** Starts an HTTP, TLS or TCP server on a free local port and closes it when the test ends. */
export async function open(server: Server | HttpServer): Promise<Omit<LocalServer, "seen">> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port, connections: () => connections };
}

/** An origin where nothing listens. */
export async function deadOrigin(): Promise<string> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

export const json = (response: ServerResponse, value: unknown, status = 200, headers = {}): void => {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify(value));
};
