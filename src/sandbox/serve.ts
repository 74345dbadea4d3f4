import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { faultHeader } from "../core/sandbox.ts";
import type { Access } from "./control/access.ts";
import { ConnectionReset } from "./faults/cut.ts";
import { sentError } from "./http/errors.ts";
import { isOwnConnection } from "./peer.ts";

/** The sandbox cannot listen on an address; the message says why. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, cause: Error & { readonly code?: string | undefined }) {
    super(`Cannot serve at ${host} port ${port}: ${reasons[cause.code ?? ""] ?? cause.message}`, { cause });
    this.host = host;
    this.port = port;
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EACCES: "you are not allowed to use this port",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "the host cannot be resolved",
};

export interface FetchOptions {
  /** Keep the last pictures and speech for the sandbox's web page. */
  readonly keepsMedia?: boolean;
  /** The address that the request came from. */
  readonly peer?: string | undefined;
}

/** Handles requests to the service, and to the sandbox's controls. */
export interface RequestHandler {
  /**
   * Handles a request to the service, whatever the host of its URL.
   * Rejects with an error with the code `ECONNRESET` when a fault breaks the connection.
   */
  fetch(request: Request, options?: FetchOptions): Promise<Response>;
  /**
   * Handles a request for a web page or for a path under `/_sandbox/`, and returns undefined for other requests. Other
   * machines get an error, unless they send the controls' token with a request for a path under `/_sandbox/`. If there
   * is a token, `/_sandbox/health` does not require it.
   */
  handleControl(request: Request, access: Access): Promise<Response> | undefined;
}

/** A sandbox that is served over HTTP. */
export interface SandboxServer {
  /** Such as http://127.0.0.1:8080. */
  readonly url: string;
  /** Stops serving and closes open connections. The sandbox itself stays open. */
  close(): Promise<void>;
}

/**
 * Serves a sandbox over HTTP; port 0 picks a free port. Other machines can use the controls only with `controlToken`.
 * If there is no such token, only this machine can use them.
 * @throws CannotListen when it cannot listen, for example because the port is in use or not allowed
 */
export async function serve(
  sandbox: RequestHandler,
  {
    host,
    port,
    controlToken: token,
  }: { readonly host: string; readonly port: number; readonly controlToken?: string | undefined },
): Promise<SandboxServer> {
  const { getRequestListener } = await import("@hono/node-server");
  const handle = async (request: Request, incoming: Incoming): Promise<Response> => {
    const { socket } = incoming;
    const isOwner = async () => (await isOwnConnection(socket)) === true;
    const controlled = sandbox.handleControl(request, { peer: socket.remoteAddress, isOwner, token });
    const options = { keepsMedia: true, peer: socket.remoteAddress };
    return controlled?.catch(failure) ?? respond(sandbox.fetch(request, options), incoming);
  };
  const server = createServer(getRequestListener((request, { incoming }) => handle(request, incoming)));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new CannotListen(host, port, error)));
    server.listen(port, host, resolve);
  });
  return {
    url: urlOf(server.address()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The response if a control or a page fails, for example because its code cannot be loaded. */
function failure(error: unknown): Response {
  const { body, status } = sentError(error);
  return Response.json(body, { status });
}

type Incoming = Pick<IncomingMessage, "socket">;

/** Returns the response. If a fault breaks the connection before the response or in its body, closes the socket. */
async function respond(pending: Promise<Response>, { socket }: Incoming): Promise<Response> {
  try {
    const response = await pending;
    if (!response.body || !response.headers.has(faultHeader)) return response;
    return new Response(ReadableStream.from(untilBroken(response.body, socket)), response);
  } catch (error) {
    if (!(error instanceof ConnectionReset)) throw error;
    socket.resetAndDestroy();
    // This header keeps `@hono/node-server` from sending a response.
    return new Response(null, { headers: { "x-hono-already-sent": "true" } });
  }
}

/**
 * Yields the body. If a fault breaks the connection, the socket closes only after it has sent what was already written.
 */
async function* untilBroken(
  body: AsyncIterable<Uint8Array>,
  socket: Incoming["socket"],
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (!(error instanceof ConnectionReset)) throw error;
    socket.destroySoon();
    await once(socket, "close");
  }
}

function urlOf(address: ReturnType<Server["address"]>): string {
  if (address === null || typeof address === "string") return "";
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
