import { createServer, type IncomingMessage, type ServerResponse, request as sendOver } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { OperationSetName } from "../../src/core/sandbox.ts";
import { PlainResponse } from "../../src/sandbox/http/exchange.ts";
import type { Sandbox } from "../../src/sandbox/index.ts";

/** The environment variable with the URL of the conformance proxy. If it is not set, nothing is checked. */
export const proxyVariable = "GPUCTL_TEST_PROXY";

/**
 * Headers of a request to the proxy: the port to which the junction (`test/conformance/junction.ts`) forwards the
 * request, the number of the call, and the operation set of the sandbox.
 */
export const routing = {
  port: "x-conformance-port",
  call: "x-conformance-call",
  operationSet: "x-conformance-operation-set",
} as const;

type FetchHandler = (request: Request) => Promise<Response>;

/** A request that is sent through the proxy, and the parts of its response that the proxy does not preserve. */
interface Call {
  readonly request: Request;
  readonly operationSet: string;
  readonly respond: FetchHandler;
  /** The names of the headers that the sandbox set, and the lengths of the chunks of its response. */
  readonly names: Set<string>;
  readonly lengths: number[];
  failure?: { readonly cause: unknown };
}

/**
 * A sandbox whose requests and responses pass through the conformance proxy, if one is set. A response arrives in the
 * same chunks that the sandbox sent, and fails where the sandbox failed.
 */
export function throughProxy<
  Target extends { readonly fetch: FetchHandler; readonly send?: Sandbox["send"] },
>(sandbox: Target, operationSet: OperationSetName | "" = ""): Target {
  const proxy = process.env[proxyVariable];
  if (proxy === undefined) return sandbox;
  const { fetch: respond } = sandbox;
  const fetch: FetchHandler = (request) =>
    through(proxy, { request, operationSet, respond, names: new Set(), lengths: [] });
  const send: Sandbox["send"] = async (url, init) => {
    const { body, status, headers } = await fetch(new Request(url, init));
    return new PlainResponse(body, { status, headers: Object.fromEntries(headers) });
  };
  return { ...sandbox, fetch, ...(sandbox.send && { send }) };
}

async function through(proxy: string, call: Call): Promise<Response> {
  const { request } = call;
  const number = String(calls.size);
  calls.set(number, call);
  port ??= listen();
  const { pathname, search } = new URL(request.url);
  const { status, headers, body } = await exchange(new URL(pathname + search, proxy), request, {
    ...Object.fromEntries([...request.headers].filter(([name]) => !transportHeaders.has(name))),
    [routing.port]: String(await port),
    [routing.call]: number,
    [routing.operationSet]: call.operationSet,
  });
  if (call.names.size === 0)
    throw call.failure?.cause ?? new Error(`the proxy did not forward the request: ${body}`);
  const own = headers.filter(([name]) => call.names.has(name));
  return new Response(body.length > 0 || call.failure ? ReadableStream.from(chunksOf(body, call)) : null, {
    status,
    headers: own,
  });
}

function* chunksOf(body: Buffer, { lengths, failure }: Call): Generator<Uint8Array> {
  let start = 0;
  for (const length of lengths) {
    yield body.subarray(start, start + length);
    start += length;
  }
  if (failure) throw failure.cause;
}

interface RawResponse {
  readonly status: number;
  readonly headers: [string, string][];
  readonly body: Buffer;
}

/** Sends a request on a new connection. The proxy could close an open connection just when it is reused. */
async function exchange(url: URL, request: Request, headers: Record<string, string>): Promise<RawResponse> {
  const body = Buffer.from(await request.arrayBuffer());
  const length = body.length > 0 ? { "content-length": String(body.length) } : {};
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    sendOver(url, { method: request.method, headers: { ...headers, ...length }, agent: false })
      .on("response", resolve)
      .on("error", reject)
      .end(body);
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    body: await buffer(incoming),
  };
}

const calls = new Map<string, Call>();
let port: Promise<number> | undefined;

/** Starts the server for this process's sandboxes and returns its port. The server does not keep the process alive. */
async function listen(): Promise<number> {
  const server = createServer((incoming, outgoing) => void handleRequest(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

async function handleRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const call = calls.get(String(incoming.headers[routing.call]));
  if (call === undefined) return void incoming.socket.resetAndDestroy();
  try {
    const { status, headers, body } = await call.respond(await receivedRequest(incoming, call.request));
    for (const [name] of headers) call.names.add(name);
    outgoing.writeHead(status, [...headers].flat());
    for await (const chunk of body ?? []) {
      call.lengths.push(chunk.length);
      outgoing.write(chunk);
    }
  } catch (cause) {
    call.failure = { cause };
    if (!outgoing.headersSent) return void incoming.socket.resetAndDestroy();
  }
  outgoing.end();
}

/** The request as it arrived from the proxy, with the host of the original URL. */
async function receivedRequest(incoming: IncomingMessage, { url, signal }: Request): Promise<Request> {
  const body = await buffer(incoming);
  const headers = Object.entries(incoming.headers).filter(([name]) => !transportHeaders.has(name));
  return new Request(new URL(incoming.url ?? "/", url), {
    method: incoming.method ?? "GET",
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
    signal,
    ...(body.length > 0 && { body }),
  });
}

const transportHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
  ...Object.values(routing),
]);
