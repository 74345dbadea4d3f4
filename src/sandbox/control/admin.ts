import { type Context, Hono, type HonoRequest } from "hono";
import { bodyLimit } from "hono/body-limit";
import * as z from "zod";
import { check } from "../../contract/check/check.ts";
import { dateTime } from "../../contract/shared.ts";
import { isRecord } from "../../core/json.ts";
import { servedControls, splitCondition } from "../../core/sandbox.ts";
import { hourMs, secondMs } from "../clock.ts";
import { ApiError, ControlRefused, invalid, issuesFor } from "../errors.ts";
import { sentError, tooLarge } from "../http/errors.ts";
import { keys } from "../keys.ts";
import type { RecentMedia } from "../page/recent-media.ts";
import { parseBody } from "../read-input.ts";
import { crossOriginDenial, remoteDenial, withSandboxHeaders } from "./access.ts";
import type { SandboxControls } from "./controls.ts";

/** The largest seed or snapshot, in bytes. */
const maxDocumentBytes = 256 * 1024 * 1024;

const notOwner =
  "can be set over HTTP only by the user who serves the sandbox, and only on Linux. Otherwise, set the engine before you serve the sandbox";

type Env = {
  Bindings: { readonly peer: string | undefined; readonly isOwner: () => Promise<boolean> };
};

const amount = z.number().min(0).optional();
const span = z.strictObject({ days: amount, hours: amount, minutes: amount, seconds: amount });

/** The sandbox's controls over HTTP, as JSON, for programs on this machine only. */
export function createAdmin(sandbox: SandboxControls, recent: RecentMedia): Hono<Env> {
  const { clock, faults, engines, boots, requests, situations } = sandbox;
  const app = new Hono<Env>().basePath(servedControls.path);
  app.use(withSandboxHeaders(() => Date.parse(clock.show().now)));
  app.use(async (http, next) => {
    const { raw } = http.req;
    const reason = remoteDenial(raw, http.env.peer) ?? crossOriginDenial(raw);
    if (reason !== undefined) throw new ApiError("FORBIDDEN", [{ path: [], message: reason }]);
    await next();
  });
  app.use(
    bodyLimit({ maxSize: maxDocumentBytes, onError: (http) => http.json(tooLarge.body, tooLarge.status) }),
  );

  app.get("/health", (http) => http.json(servedControls.health));
  app.get("/keys", (http) => http.json(keys));
  app.get("/limits", async (http) => http.json((await import("../limits.ts")).sandboxLimits));
  app.get("/status", (http) => http.json(sandbox.status()));
  app.get("/clock", (http) => http.json(clock.show()));
  app.post("/clock/freeze", (http) => http.json(clock.freeze()));
  app.post("/clock/resume", (http) => http.json(clock.resume()));
  app.post("/clock/advance", async (http) => {
    const given = checked(span, await http.req.text());
    if (Object.keys(given).length === 0) throw new ControlRefused([], noDuration);
    return http.json(clock.advance(milliseconds(given)));
  });
  app.post("/clock/set", async (http) => {
    const { time } = checked(z.strictObject({ time: dateTime("The new time") }), await http.req.text());
    return http.json(clock.set(Date.parse(time)));
  });

  for (const [path, control] of [
    ["/faults", faults],
    ["/boots", boots],
    ["/situations", situations],
  ] as const) {
    app.get(path, (http) => http.json(control.list()));
    app.post(path, async (http) => http.json(control.add(parseBody(await http.req.text()))));
    app.delete(path, (http) => http.json({ cleared: control.clear() }));
    app.delete(`${path}/:id{[1-9]\\d*}`, (http) => {
      const cleared = control.clear(Number(http.req.param("id")));
      if (cleared === 0) throw new ApiError("NOT_FOUND");
      return http.json({ cleared });
    });
  }

  app.post("/scenario", async (http) => {
    const { name } = checked(z.strictObject({ name: z.string() }), await http.req.text());
    return http.json(sandbox.scenario(name));
  });

  app.get("/engines", async (http) => http.json(await engines.list()));
  app.post("/engines", async (http) => {
    const engine = parseBody(await http.req.text());
    // Every user of this computer can call the controls, but the variable belongs to the process that serves the
    // sandbox.
    if (isRecord(engine) && engine.apiKeyEnv !== undefined && !(await http.env.isOwner())) {
      throw new ControlRefused([{ path: ["apiKeyEnv"], message: notOwner }]);
    }
    return http.json(await engines.set(engine));
  });
  app.delete("/engines", (http) => http.json({ cleared: engines.clear() }));
  app.delete("/engines/:kind", (http) => http.json({ cleared: engines.clear(http.req.param("kind")) }));

  app.get("/chat/script", (http) => http.json(sandbox.chatScript.show()));
  app.post("/chat/script", async (http) => http.json(await sandbox.chatScript.load(await http.req.text())));
  app.delete("/chat/script", (http) => http.json({ cleared: sandbox.chatScript.clear() }));

  app.post("/seed", async (http) => {
    await sandbox.seed(await http.req.text());
    return http.json(sandbox.status());
  });
  app.get("/snapshot", (http) => http.json(sandbox.snapshot()));
  app.post("/restore", async (http) => {
    sandbox.restore(await http.req.text());
    return http.json(sandbox.status());
  });
  app.post("/reset", (http) => {
    sandbox.reset();
    return http.json(sandbox.status());
  });
  app.get("/requests", (http) => http.json(requests.list(filterOf(http.req))));
  app.get("/requests/count", (http) => http.json({ count: requests.count(filterOf(http.req)) }));
  app.delete("/requests", (http) => http.json({ cleared: requests.clear(filterOf(http.req)) }));
  app.post("/requests/expect", async (http) => http.json(requests.expect(parseBody(await http.req.text()))));

  app.get("/media/:id{[1-9]\\d*}", async (http) => {
    const found = await recent.find(Number(http.req.param("id")));
    if (found === undefined) throw new ApiError("NOT_FOUND");
    return http.body(found.bytes, 200, { "Content-Type": found.type, "X-Content-Type-Options": "nosniff" });
  });

  app.notFound((http) => send(http, new ApiError("NOT_FOUND")));
  app.onError((error, http) => send(http, asApiError(error)));
  return app;
}

function send(http: Context, error: Error): Response {
  const { status, body } = sentError(error);
  return http.json(body, status);
}

const noDuration = `the body must have at least one of ${Object.keys(span.shape).join(", ")}`;

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

function checked<Shape extends z.ZodObject>(input: Shape, text: string): z.output<Shape> {
  const result = check({ input }, parseBody(text));
  if (!result.ok) throw new ControlRefused(issuesFor("this request", result.issues));
  return result.value;
}

const milliseconds = ({ days = 0, hours = 0, minutes = 0, seconds = 0 }: z.output<typeof span>): number =>
  Math.round((days * 24 + hours) * hourMs + (minutes * 60 + seconds) * secondMs);
