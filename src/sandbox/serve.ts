import { createServer, type Server } from "node:http";
import { CannotListen } from "./cannot-listen.ts";
import { optional } from "./missing-dependency.ts";

/** Whatever answers requests, such as a sandbox. */
interface Answering {
  fetch(request: Request): Promise<Response>;
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
  const listener = adapter.getRequestListener((request) => sandbox.fetch(request));
  const server = createServer(listener);
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

function urlOf(address: ReturnType<Server["address"]>): string {
  if (address === null || typeof address === "string") return "";
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
