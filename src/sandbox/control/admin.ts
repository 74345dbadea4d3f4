import { type Context, Hono, type HonoRequest } from "hono";
import { bodyLimit } from "hono/body-limit";
import { servedControls, splitCondition } from "../../core/sandbox.ts";
import { inputLimits } from "../../core/values/input-limits.ts";
import { ApiError, ControlRefused, invalid } from "../errors.ts";
import { sentError, tooLarge } from "../http/errors.ts";
import type { RecentMedia } from "../page/recent-media.ts";
import { type Access, controlDenial, withSandboxHeaders } from "./access.ts";
import type { SandboxControls } from "./controls.ts";
import { controlDescription } from "./description.ts";
import { controls } from "./table.ts";

type Env = { Bindings: Access };

const { path: base, description } = servedControls;

/** The sandbox's controls over HTTP, as JSON, for programs on this machine and for those that have the token. */
export function createAdmin(sandbox: SandboxControls, recent: RecentMedia): Hono<Env> {
  const app = new Hono<Env>().basePath(base);
  app.use(withSandboxHeaders(() => Date.parse(sandbox.clock.show().now)));
  app.use(async (http, next) => {
    const denial = controlDenial(http.req.raw, http.env);
    // If the controls have a token, other machines do not need the token to ask whether the sandbox is ready.
    const isOpen = denial?.code === "UNAUTHORIZED" && isHealth(http.req);
    if (denial !== undefined && !isOpen) throw denial;
    await next();
  });
  app.use(
    bodyLimit({
      maxSize: inputLimits.document,
      onError: (http) => http.json(tooLarge.body, tooLarge.status),
    }),
  );
  for (const { method, path, run } of Object.values(controls)) {
    app.on(method, path.replace("{id}", ":last{[1-9]\\d*}").replace("{kind}", ":last"), async (http) => {
      const { req, env } = http;
      const result = await run({
        sandbox,
        recent,
        isOwner: env.isOwner ?? (async () => false),
        last: req.param("last") ?? "",
        filter: () => filterOf(req),
        text: () => req.text(),
      });
      return result instanceof Response ? result : Response.json(result);
    });
  }
  app.get(description, (http) => http.json(controlDescription(new URL(http.req.url).origin)));
  app.notFound((http) => send(http, new ApiError("NOT_FOUND")));
  app.onError((error, http) => send(http, asApiError(error)));
  return app;
}

const isHealth = ({ method, path }: HonoRequest): boolean =>
  ["GET", "HEAD"].includes(method) && path === base + controls.health.path;

function send(http: Context, error: Error): Response {
  const { status, body } = sentError(error);
  return http.json(body, status);
}

/** The filter of a query, such as `?operation=getRental&where=rentalId=1&limit=5`. */
function filterOf(request: HonoRequest): object {
  const { where, limit, ...filter } = request.query();
  const conditions = (request.queries("where") ?? []).map((text) => {
    const condition = splitCondition(text);
    if (condition === undefined) throw invalid("where", "must be FIELD=VALUE");
    return condition;
  });
  return {
    ...filter,
    ...(where !== undefined && { where: Object.fromEntries(conditions) }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
}

const asApiError = (error: Error): Error =>
  error instanceof ControlRefused
    ? new ApiError(
        "BAD_REQUEST",
        error.issues.length > 0 ? error.issues : [{ path: [], message: error.message }],
      )
    : error;
