import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { faultHeader } from "../contract/sandbox.ts";
import { CannotListen } from "./cannot-listen.ts";
import { ConnectionReset } from "./faults/connection-reset.ts";
import { optional } from "./missing-dependency.ts";

/** Whatever answers requests, such as a sandbox. */
interface Answering {
  fetch(request: Request): Promise<Response>;
  /** Answers what is asked of its controls by somebody at an address; nothing when the request is not about them. */
  administer?(request: Request, peer: string | undefined): Promise<Response> | undefined;
}

export interface Served {
  /** Where it is served, such as http://127.0.0.1:8080. */
  readonly url: string;
  /** Stops, and ends the answers that are still under way. The sandbox itself stays open. */
  close(): Promise<void>;
}

/**
 * Serves a sandbox over HTTP; port 0 takes a free one.
 * @throws MissingDependency without the package that connects it to node:http
 * @throws CannotListen when the port is in use, or the address cannot be had
 */
export async function serve(
  sandbox: Answering,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Served> {
  const adapter = await optional("@hono/node-server", () => import("@hono/node-server"));
  const answer = async (request: Request, incoming: Incoming): Promise<Response> => {
    const controlled = sandbox.administer?.(request, incoming.socket.remoteAddress);
    return controlled ?? orBroken(sandbox.fetch(request), incoming);
  };
  const server = createServer(
    adapter.getRequestListener((request, { incoming }) => answer(request, incoming)),
  );
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

type Incoming = Pick<IncomingMessage, "socket">;

/** The adapter answers nothing any more when it sees this. */
const alreadySent = { headers: { "x-hono-already-sent": "true" } };

/** An answer, or a connection that breaks where a fault says so: at once, or in the middle of the answer. */
async function orBroken(answering: Promise<Response>, { socket }: Incoming): Promise<Response> {
  try {
    const answer = await answering;
    if (!answer.body || !answer.headers.has(faultHeader)) return answer;
    return new Response(ReadableStream.from(untilBroken(answer.body, socket)), answer);
  } catch (error) {
    if (!(error instanceof ConnectionReset)) throw error;
    socket.resetAndDestroy();
    return new Response(null, alreadySent);
  }
}

/** What was sent before the connection breaks still arrives. */
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
