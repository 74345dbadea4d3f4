import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { routing } from "../support/conformance.ts";

interface Junction {
  readonly url: string;
  readonly close: () => void;
}

/** The only target of the proxy: a server that forwards each request to the local port that a header names. */
export async function openJunction(): Promise<Junction> {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const port = String(headers[routing.port]);
    const onward = request({ host: "127.0.0.1", port, method, path: url, headers });
    onward.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.rawHeaders);
      response.on("error", () => incoming.socket.resetAndDestroy());
      response.pipe(outgoing);
    });
    onward.on("error", () => incoming.socket.resetAndDestroy());
    incoming.pipe(onward);
  });
  // The proxy reuses connections; a timeout could close a connection just as the proxy reuses it.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
