import { createHash } from "node:crypto";
import { tryDecode } from "hono/utils/url";
import type * as z from "zod";
import { check } from "../contract/check/check.ts";
import type { InputSchema, Operation } from "../contract/operation.ts";
import { type ServedId, type ServedOperations, servedOperations } from "./assumed/index.ts";
import type { Clock } from "./clock.ts";
import { ApiError } from "./errors.ts";
import { ConnectionReset } from "./faults/cut.ts";
import { injectFault } from "./faults/inject.ts";
import type { Call, Handler } from "./handlers/handler.ts";
import { handlers } from "./handlers/index.ts";
import { corsHeaders, preflightResponse, sandboxHeader } from "./http/cors.ts";
import { errorResponse, sentError } from "./http/errors.ts";
import { Exchange, type PlainRequest, PlainResponse } from "./http/exchange.ts";
import { callerOf } from "./keys.ts";
import { isEnabled, type OperationSet } from "./operation-set.ts";
import type { RecentMedia } from "./page/recent-media.ts";
import { isLoopbackAddress, isLoopbackUrl } from "./peer.ts";
import { readInput } from "./read-input.ts";
import { RecordTexts } from "./rentals/record-texts.ts";
import { logRequest } from "./requests/log.ts";
import { endUnpaidRentals } from "./situations/money.ts";
import { rateLimited } from "./situations/rate-limit.ts";
import { hasSituations } from "./situations/table.ts";
import type { Store } from "./store/queries.ts";
import { listEngines } from "./tables/engines.ts";

/** The part of a `Call` that is the same for all calls. */
type AppState = Pick<Call, "store" | "environment" | "addressesOf" | "operationSet" | "recordTexts">;

/** Handles a request. `recent`, if given, keeps the pictures and the speech that the request generates. */
export type App = (request: PlainRequest, recent?: RecentMedia) => Promise<PlainResponse>;

/** Creates the function that serves a set of operations from a store. */
export function createApp(given: Omit<AppState, "recordTexts">, clock: Clock): App {
  const state: AppState = { ...given, recordTexts: new RecordTexts() };
  const routeOf = router(state.operationSet);
  return async (request, recent) => {
    const exchange = new Exchange(request, pathOf(request.url));
    // The headers are set inside `orError`: they need the clock, and reading it throws if the state cannot be read.
    const response = await orError(exchange, async () => {
      const own =
        request.method === "OPTIONS"
          ? preflightResponse(request)
          : await respond(exchange, { state, clock, routeOf, recent });
      Object.assign(own.headers, sandboxHeaders(clock));
      return own;
    });
    return request.method === "HEAD" ? new PlainResponse(null, response) : response;
  };
}

/** The sandbox's own header, and a Date header with the time of the sandbox's clock instead of the computer's. */
export const sandboxHeaders = (clock: Clock) => ({
  [sandboxHeader.toLowerCase()]: "1",
  date: new Date(clock()).toUTCString(),
});

/** The decoded path of a URL. Encoded percent signs and reserved characters, such as slashes, stay encoded. */
const pathOf = (url: string): string =>
  tryDecode(/^\w+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] || "/", (path) =>
    decodeURI(path.replaceAll("%25", "%2525")),
  );

interface Route {
  readonly id: ServedId;
  /** The values in the path. */
  readonly parameters: Readonly<Record<string, string>>;
}

type RouteOf = (exchange: Exchange) => Route | undefined;

interface Serving {
  readonly state: AppState;
  readonly clock: Clock;
  readonly routeOf: RouteOf;
  readonly recent: RecentMedia | undefined;
}

/** Finds the operation of a request by its method and its path. HEAD is handled as GET. */
function router(operationSet: OperationSet): RouteOf {
  const patterns = operationSet.map((id) => ({ id, segments: servedOperations[id].path.split("/") }));
  return ({ request, path }) => {
    const method = request.method === "HEAD" ? "GET" : request.method;
    const given = path.split("/");
    for (const { id, segments } of patterns) {
      if (servedOperations[id].method !== method || segments.length !== given.length) continue;
      const parameters: Record<string, string> = {};
      const matches = segments.every((segment, at) => {
        const value = given[at] ?? "";
        const name = /^\{(\w+)\}$/.exec(segment)?.[1];
        if (name === undefined || value === "") return segment === value;
        parameters[name] = value;
        return true;
      });
      if (matches) return { id, parameters };
    }
    return undefined;
  };
}

/** Responds to a request, and logs the request. */
async function respond(exchange: Exchange, serving: Serving): Promise<PlainResponse> {
  exchange.now = serving.clock();
  let response: PlainResponse | undefined;
  try {
    response = await orError(exchange, async () => {
      const route = serving.routeOf(exchange);
      if (route === undefined) throw new ApiError("NOT_FOUND");
      return serveById(exchange, serving, route);
    });
    return response;
  } finally {
    await logRequest(serving.state.store, exchange, response);
  }
}

/**
 * Returns the response of `work`, or an error response if `work` throws. Rethrows the error if the connection is reset
 * or the request was aborted.
 */
async function orError(exchange: Exchange, work: () => Promise<PlainResponse>): Promise<PlainResponse> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConnectionReset) throw error;
    const { signal } = exchange.request;
    if (signal.aborted && error === signal.reason) throw error;
    const { body, status } = sentError(error);
    return errorResponse(exchange, body, status, corsHeaders);
  }
}

function serveById<Id extends ServedId>(
  exchange: Exchange,
  serving: Serving,
  { id, parameters }: Route & { readonly id: Id },
): Promise<PlainResponse> {
  const operation: Operation<ServedId, ServedOperations[Id]["input"]> = servedOperations[id];
  const handler: Handler<Id> = handlers[id];
  return serve(exchange, serving, { operation, parameters, handler });
}

interface Served<Input extends InputSchema> {
  readonly operation: Operation<ServedId, Input>;
  readonly parameters: Route["parameters"];
  readonly handler: (input: z.output<Input>, call: Call) => unknown;
}

/**
 * Serves an operation, with a fault if one is due. If the operation has a sunset day, announces it in headers, and
 * responds with 404 from that day on (service section 9).
 */
async function serve<Input extends InputSchema>(
  exchange: Exchange,
  serving: Serving,
  served: Served<Input>,
): Promise<PlainResponse> {
  const { operation, parameters } = served;
  if (!isEnabled(operation, exchange.now)) throw new ApiError("NOT_FOUND");
  const response = await orError(exchange, async () => {
    // Fields of the query and the path are read first, so that they are logged even if a fault or an error prevents the
    // operation.
    if (operation.in !== "body") exchange.input = await readInput(operation, exchange.request, parameters);
    exchange.operation = operation.id;
    return injectFault(exchange, serving.state.store, operation.id, async () => {
      const own = await orError(exchange, () => call(exchange, serving, served));
      Object.assign(own.headers, corsHeaders, exchange.headers);
      // The ETag is added inside `injectFault`: a response that a fault sends instead of the OpenAPI description must
      // have none.
      return operation.id === servedOperations.getOpenApiDocument.id ? withEtag(own, exchange) : own;
    });
  });
  if (operation.sunset !== undefined) {
    Object.assign(response.headers, {
      sunset: new Date(operation.sunset).toUTCString(),
      deprecation: "true",
    });
  }
  return response;
}

/** Checks the key, the rate limits and the input, and then calls the handler. */
async function call<Input extends InputSchema>(
  exchange: Exchange,
  { state, recent }: Serving,
  { operation, parameters, handler }: Served<Input>,
): Promise<PlainResponse> {
  const { store } = state;
  if (!operation.open) {
    authorize(operation, exchange, store);
    denyForeignPage(operation, exchange, store);
    if (hasSituations(store)) {
      endUnpaidRentals(store, exchange.userId, exchange.now);
      const limited = await rateLimited(exchange, store, operation.id);
      if (limited) return limited;
    }
  }
  if (operation.in === "body") exchange.input = await readInput(operation, exchange.request, parameters);
  const checked = check(operation, exchange.input);
  if (!checked.ok) throw new ApiError("BAD_REQUEST", checked.issues);
  const { now, userId } = exchange;
  const result = await handler(checked.value, { ...state, now, userId, exchange });
  if (result instanceof PlainResponse) return result;
  recent?.keep(operation.id, checked.value, result);
  return PlainResponse.json(result);
}

/** Requires a key, and full access for everything but GET (service sections 5 and 7). */
function authorize({ method }: Pick<Operation, "method">, exchange: Exchange, store: Store): void {
  const caller = callerOf(store, exchange.request.header("authorization"));
  if (!caller) throw new ApiError("UNAUTHORIZED");
  if (!caller.mayWrite && method !== "GET") throw new ApiError("FORBIDDEN");
  exchange.userId = caller.userId;
  exchange.keyName = caller.keyName;
}

/**
 * While an engine has a key, a web page may call the inference API only if this machine serves the page. The sandbox's
 * keys are public, so any page that the user opens could otherwise spend the money of the engine's account. The Host
 * header is checked, too: a browser sends no Origin with a GET to the host name of the page itself, and that name may
 * resolve to this machine (DNS rebinding).
 */
function denyForeignPage({ host }: Pick<Operation, "host">, { request }: Exchange, store: Store): void {
  if (host !== "inference") return;
  const origin = request.header("origin");
  const named = request.header("host") ?? "";
  const isOfOtherPage = origin !== undefined && !isLoopbackUrl(origin);
  const hasOtherName = isLoopbackAddress(request.peer) && !isLoopbackUrl(`http://${named}`);
  if (!isOfOtherPage && !hasOtherName) return;
  if (listEngines(store).every(({ apiKeyEnv }) => apiKeyEnv === undefined)) return;
  const message = isOfOtherPage
    ? "only web pages that are served by this machine can call the inference API"
    : `requests from this machine must have localhost or a loopback address in the Host header, not ${JSON.stringify(named)}`;
  throw new ApiError("FORBIDDEN", [{ path: [], message: `while an engine has a key, ${message}` }]);
}

/** Adds an ETag to a successful response. If the client already has this version, returns a 304 instead. */
function withEtag(response: PlainResponse, { request }: Exchange): PlainResponse {
  if (!response.ok || typeof response.body !== "string") return response;
  const etag = `"${createHash("sha1").update(response.body).digest("hex")}"`;
  const known = request.header("if-none-match");
  if (known === "*" || known?.match(/"[^"]*"/g)?.includes(etag)) {
    return new PlainResponse(null, { status: 304, headers: { etag } });
  }
  response.headers.etag = etag;
  return response;
}
