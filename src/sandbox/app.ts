import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { etag } from "hono/etag";
import type * as z from "zod";
import { check } from "../contract/check/check.ts";
import type { InputSchema, Operation } from "../contract/operation.ts";
import { faultHeader, ignoredFieldsHeader, replyHeader } from "../core/sandbox.ts";
import { type ServedId, type ServedOperations, servedOperations } from "./assumed/index.ts";
import type { Clock } from "./clock.ts";
import { ApiError, errorResponse, tooLarge } from "./errors.ts";
import { ConnectionReset } from "./faults/cut.ts";
import { injectFault } from "./faults/inject.ts";
import type { Call, Handler } from "./handlers/handler.ts";
import { handlers } from "./handlers/index.ts";
import { callerOf } from "./keys.ts";
import { isEnabled } from "./operation-set.ts";
import type { RecentMedia } from "./page/recent-media.ts";
import { maxBodyBytes, readInput } from "./read-input.ts";
import { logRequest, type RequestVariables } from "./requests/log.ts";
import { endUnpaidRentals } from "./situations/money.ts";
import { rateLimited } from "./situations/rate-limit.ts";
import { hasSituations } from "./situations/table.ts";
import type { Store } from "./store/queries.ts";

/** A header of every response of the sandbox. */
export const sandboxHeader = "X-Gpuctl-Sandbox";

/** The methods that pages of other origins can use, and the headers that they can read. */
const methods = new Set(["HEAD", ...Object.values(servedOperations).map(({ method }) => method)]);
export const exposedHeaders = [
  "Date",
  "ETag",
  "Retry-After",
  "Sunset",
  "Deprecation",
  sandboxHeader,
  faultHeader,
  ignoredFieldsHeader,
  replyHeader,
];

type Env = {
  Bindings: { readonly recent: RecentMedia | undefined };
  Variables: RequestVariables & { userId: string };
};

type AppState = Pick<Call, "store" | "environment" | "addressesOf" | "operationSet">;

/** Creates the HTTP app that serves a set of operations from a store. */
export function createApp(state: AppState, clock: Clock): Hono<Env> {
  const { store, operationSet } = state;
  const app = new Hono<Env>();
  app.use(withSandboxHeader(clock));
  app.use(cors({ origin: "*", allowMethods: [...methods], exposeHeaders: [...exposedHeaders] }));
  app.use(logged(store, clock));
  for (const id of operationSet) serveById(app, state, id);
  app.notFound((http) => errorResponse(http, new ApiError("NOT_FOUND")));
  app.onError((error, http) => {
    const { signal } = http.req.raw;
    if (error instanceof ConnectionReset || (signal.aborted && error === signal.reason)) throw error;
    return errorResponse(http, error);
  });
  return app;
}

function serveById<Id extends ServedId>(app: Hono<Env>, state: AppState, id: Id): void {
  const operation: Operation<ServedId, ServedOperations[Id]["input"]> = servedOperations[id];
  const handler: Handler<Id> = handlers[id];
  serveOperation(app, state, operation, handler);
}

function serveOperation<Input extends InputSchema>(
  app: Hono<Env>,
  state: AppState,
  operation: Operation<ServedId, Input>,
  handler: (input: z.output<Input>, call: Call) => unknown,
): void {
  const { method, path } = operation;
  const pattern = path.replace(/\{(\w+)\}/g, ":$1");
  app.on(
    method,
    pattern,
    sunset(operation),
    operation.in === "body" ? pass : withInput(operation),
    withFaults(state.store, operation.id),
    // A fault that replaces the description has no ETag.
    operation.id === servedOperations.getOpenApiDocument.id ? etag() : pass,
    authorization(operation, state.store),
    operation.open ? pass : withSituations(state.store, operation.id),
    operation.in === "body" ? bodyWithinLimit : pass,
    async (http) => {
      if (operation.in === "body") http.set("input", await readInput(operation, http.req));
      const checked = check(operation, http.var.input);
      if (!checked.ok) throw new ApiError("BAD_REQUEST", checked.issues);
      const { now, userId } = http.var;
      const result = await handler(checked.value, { ...state, now, userId, http });
      if (result instanceof Response) return result;
      http.env.recent?.keep(operation.id, checked.value, result);
      return http.json(result);
    },
  );
}

/** Sets the time of a request, and logs the request. */
const logged =
  (store: Store, clock: Clock): MiddlewareHandler<Env> =>
  async (http, next) => {
    http.set("now", clock());
    let status: number | null = null;
    try {
      await next();
      status = http.res.status;
    } finally {
      await logRequest(store, http, http.var, status);
    }
  };

/** Reads the fields of the query or the path, so that they are logged whatever happens to the request. */
const withInput =
  (operation: Operation): MiddlewareHandler<Env> =>
  async (http, next) => {
    http.set("input", await readInput(operation, http.req));
    await next();
  };

/** Applies a fault that is due, before the key and the input are checked. */
const withFaults =
  (store: Store, operation: ServedId): MiddlewareHandler<Env> =>
  (http, next) => {
    http.set("operation", operation);
    return injectFault(http, next, store, operation);
  };

/** Ends the rentals that a prepaid account can no longer pay, and applies rate limits. */
const withSituations =
  (store: Store, operation: ServedId): MiddlewareHandler<Env> =>
  async (http, next) => {
    const { userId, now } = http.var;
    if (!hasSituations(store)) return next();
    endUnpaidRentals(store, userId, now);
    const limited = rateLimited(http, store, { operation, now });
    if (limited) return limited;
    await next();
    return undefined;
  };

const bodyWithinLimit = bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge });
const pass: MiddlewareHandler<Env> = (_http, next) => next();

/** Announces the sunset day of a path, and returns 404 from that day on (service section 9). */
const sunset =
  (operation: Pick<Operation, "sunset">): MiddlewareHandler<Env> =>
  async (http, next) => {
    if (!isEnabled(operation, http.var.now)) throw new ApiError("NOT_FOUND");
    await next();
    if (operation.sunset === undefined) return;
    http.header("Sunset", new Date(operation.sunset).toUTCString());
    http.header("Deprecation", "true");
  };

/** Requires a key, and full access for everything but GET (service sections 5 and 7). */
const authorization =
  (operation: Pick<Operation, "open" | "method">, store: Store): MiddlewareHandler<Env> =>
  async (http, next) => {
    http.set("userId", "");
    if (!operation.open) {
      const caller = callerOf(store, http.req.header("authorization"));
      if (!caller) throw new ApiError("UNAUTHORIZED");
      if (!caller.mayWrite && operation.method !== "GET") throw new ApiError("FORBIDDEN");
      http.set("userId", caller.userId);
      http.set("keyName", caller.keyName);
    }
    await next();
  };

/** Adds the sandbox's header, and a Date by the sandbox's clock, which may differ from the machine's. */
export const withSandboxHeader =
  (clock: Clock): MiddlewareHandler =>
  async (http, next) => {
    await next();
    http.header(sandboxHeader, "1");
    http.header("Date", new Date(clock()).toUTCString());
  };
