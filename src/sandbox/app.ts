import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { etag } from "hono/etag";
import type * as z from "zod";
import { type ServedId, type ServedOperations, servedOperations } from "../contract/assumed/served.ts";
import { check } from "../contract/check.ts";
import type { InputSchema, Operation } from "../contract/operation.ts";
import { faultHeader } from "../contract/sandbox.ts";
import type { Clock } from "./clock.ts";
import { type Environment, isEnabled } from "./environment.ts";
import { errorAnswer, tooLarge } from "./error-answer.ts";
import { underFaults } from "./faults/apply.ts";
import { ConnectionReset } from "./faults/connection-reset.ts";
import type { Call, Handler } from "./handlers/handler.ts";
import { handlers } from "./handlers/index.ts";
import { callerOf } from "./keys.ts";
import { marked, sandboxHeader } from "./marked.ts";
import { readInput } from "./read-input.ts";
import { Refusal } from "./refusal.ts";
import { logRequest, type Seen } from "./request-log.ts";
import type { Store } from "./store.ts";

/** The largest body that the sandbox reads, in bytes. */
export const maxBodyBytes = 32 * 1024 * 1024;

/** What pages of other origins may ask with, and read beside the body. */
const methods = new Set(["HEAD", ...Object.values(servedOperations).map(({ method }) => method)]);
export const exposed = ["Date", "ETag", "Retry-After", "Sunset", "Deprecation", sandboxHeader, faultHeader];

type Env = { Variables: Seen & { userId: string } };

/** What is served, and from what state. */
type Served = Pick<Call, "store" | "environment">;

/** The operations of an environment, served from a store. */
export function createApp(store: Store, clock: Clock, environment: Environment): Hono<Env> {
  const app = new Hono<Env>();
  app.use(marked(clock));
  app.use(cors({ origin: "*", allowMethods: [...methods], exposeHeaders: [...exposed] }));
  app.use(logged(store, clock));
  for (const id of environment) serveById(app, { store, environment }, id);
  app.notFound((http) => errorAnswer(http, new Refusal("NOT_FOUND")));
  app.onError((error, http) => {
    if (error instanceof ConnectionReset) throw error;
    return errorAnswer(http, error);
  });
  return app;
}

function serveById<Id extends ServedId>(app: Hono<Env>, served: Served, id: Id): void {
  const operation: Operation<ServedId, ServedOperations[Id]["input"]> = servedOperations[id];
  const handler: Handler<Id> = handlers[id];
  serveOperation(app, served, operation, handler);
}

function serveOperation<Input extends InputSchema>(
  app: Hono<Env>,
  { store, environment }: Served,
  operation: Operation<ServedId, Input>,
  handler: (input: z.output<Input>, call: Call) => unknown,
): void {
  const { method, path } = operation;
  const pattern = path.replace(/\{(\w+)\}/g, ":$1");
  app.on(
    method,
    pattern,
    sunset(operation),
    faulty(store, operation.id),
    tagged(operation),
    admission(operation, store),
    limit(operation),
    async (http) => {
      const checked = check(operation, await readInput(operation, http.req));
      if (!checked.ok) throw new Refusal("BAD_REQUEST", checked.issues);
      const { now, userId } = http.var;
      const answer = await handler(checked.value, { store, environment, now, userId, http });
      return answer instanceof Response ? answer : http.json(answer);
    },
  );
}

/** Gives a request its moment, and keeps it in the log. */
const logged =
  (store: Store, clock: Clock): MiddlewareHandler<Env> =>
  async (http, next) => {
    http.set("now", clock());
    let status: number | null = null;
    try {
      await next();
      status = http.res.status;
    } finally {
      logRequest(store, http, http.var, status);
    }
  };

/** What is served under an operation's name may be befallen by faults before anything else is looked at. */
const faulty =
  (store: Store, operation: ServedId): MiddlewareHandler<Env> =>
  async (http, next) => {
    http.set("operation", operation);
    await underFaults(http, next, { store, operation, onFault: (id) => http.set("fault", id) });
  };

/** The description has an ETag of its own; what a fault puts in its place has none. */
const tagged = ({ id }: Pick<Operation, "id">): MiddlewareHandler<Env> =>
  id === servedOperations.getOpenApiDocument.id ? etag() : (_http, next) => next();

const largest = bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge });

/** A body is read, and may be too large, where the input travels in it. */
const limit = (operation: Pick<Operation, "in">): MiddlewareHandler<Env> =>
  operation.in === "body" ? largest : (_http, next) => next();

/** A path that is to be retired says when, and is unknown from that day on (service section 9). */
const sunset =
  (operation: Pick<Operation, "sunset">): MiddlewareHandler<Env> =>
  async (http, next) => {
    if (!isEnabled(operation, http.var.now)) throw new Refusal("NOT_FOUND");
    await next();
    if (operation.sunset === undefined) return;
    http.header("Sunset", new Date(operation.sunset).toUTCString());
    http.header("Deprecation", "true");
  };

/** Lets in who has a key, and lets change things who has one that may (service sections 5 and 7). */
const admission =
  (operation: Pick<Operation, "open" | "method">, store: Store): MiddlewareHandler<Env> =>
  async (http, next) => {
    http.set("userId", "");
    if (!operation.open) {
      const caller = callerOf(store, http.req.header("authorization"));
      if (!caller) throw new Refusal("UNAUTHORIZED");
      if (!caller.mayWrite && operation.method !== "GET") throw new Refusal("FORBIDDEN");
      http.set("userId", caller.userId);
    }
    await next();
  };
