import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as records from "./third-party-records.ts";

/** A request as received. Its path does not include the service's prefix. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface ThirdPartyServer {
  /** The base URL, with a path. */
  readonly url: string;
  readonly requests: ReceivedRequest[];
  readonly close: () => Promise<void>;
}

interface ServerOptions {
  readonly key: string;
  /** Replacements for the default responders, by method and path. */
  readonly instead?: Readonly<Record<string, Responder>>;
}

type Responder = (request: ReceivedRequest, response: ServerResponse) => void;

const prefix = "/gpu/api";

/**
 * An imitation of the service that gpuctl calls, written only from that service's documentation. The imitation shares
 * no code with gpuctl. It differs from the sandbox where the documentation leaves field names and record shapes open.
 */
export async function serveThirdParty({ key, instead = {} }: ServerOptions): Promise<ThirdPartyServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "", "http://localhost");
      if (!url.pathname.startsWith(prefix)) return fail(response, 404, "NOT_FOUND", "Not found");
      const text = Buffer.concat(chunks).toString();
      const received = {
        method: request.method ?? "",
        path: url.pathname.slice(prefix.length),
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
      requests.push(received);
      const name = `${received.method} ${received.path}`;
      const respond = instead[name] ?? endpoints[name];
      const { authorization } = received.headers;
      if (name !== open && authorization === undefined) {
        return fail(response, 401, "UNAUTHORIZED", "Authorization not provided");
      }
      if (name !== open && authorization !== `Bearer ${key}`) {
        return fail(response, 403, "FORBIDDEN", "Insufficient access");
      }
      if (!respond) return fail(response, 404, "NOT_FOUND", "Not found");
      respond(received, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The one endpoint that needs no key. */
const open = "GET /v2/openapi.json";

export function send(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(value));
}

export function fail(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ code, message, issues: [] }));
}

const always =
  (value: unknown, headers?: Record<string, string>): Responder =>
  (_request, response) =>
    send(response, value, headers);

const sunset = { Sunset: "Mon, 01 Mar 2027 00:00:00 GMT" };
const updated = { success: true, user: records.user };

const endpoints: Readonly<Record<string, Responder>> = {
  [open]: always(records.description),
  "POST /v2/on-demand/bare-metal-rentals": always(records.bareMetal),
  "GET /v2/on-demand/bare-metal-rentals": always([records.bareMetal]),
  "POST /v2/on-demand/virtual-machine-rentals": always(records.virtualMachine),
  "GET /v2/on-demand/virtual-machine-rentals": always([records.virtualMachine]),
  "POST /v2/on-demand/convert-to-reserved": always(records.conversion),
  "POST /v2/on-demand/extend-reserved": always(records.extension),
  "POST /v2/on-demand/request-reservation": always(records.reservation),
  "GET /v2/on-demand/active-rental-summary": always(records.summary),
  "GET /v2/on-demand/rental": ({ query }, response) =>
    send(response, query.rentalId === records.lookup.id ? records.lookup : null),
  "GET /v2/on-demand/rental-history": always([records.ended]),
  "POST /v2/on-demand/storage-volumes": always(records.volume),
  "GET /v2/on-demand/storage-volumes": always([records.volume]),
  "POST /v2/on-demand/storage-volumes/attach": always(records.attached),
  "PUT /v2/users/me": always(updated),
  "DELETE /v2/users/me": always({ success: true }),
  "PUT /users/me": always(updated, sunset),
  "DELETE /users/me": always({ success: true }, sunset),
  "POST /v1/chat/completions": ({ body }, response) => {
    if (!(typeof body === "object" && body !== null && "stream" in body && body.stream)) {
      return send(response, records.completion);
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.end(records.completionStream);
  },
  "POST /v1/image/generation": always(records.pictures),
  "POST /v1/audio/generation": always(records.recording),
};
