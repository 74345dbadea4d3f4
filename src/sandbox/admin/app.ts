import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import * as z from "zod";
import { check } from "../../contract/check.ts";
import { requestLog } from "../../contract/sandbox.ts";
import { dateTime } from "../../contract/shared.ts";
import { hourMs, secondMs } from "../clock.ts";
import type { SandboxControls } from "../control/controls.ts";
import { ControlRefused, refused } from "../control/refused.ts";
import { errorAnswer, tooLarge } from "../error-answer.ts";
import { marked } from "../marked.ts";
import { Refusal } from "../refusal.ts";
import { refusal } from "./guard.ts";

/** Where a served sandbox takes orders about itself. */
export const adminPath = "/_sandbox";

/** The largest seed or snapshot that is taken, in bytes. */
const maxDocumentBytes = 256 * 1024 * 1024;

type Env = { Bindings: { readonly peer: string | undefined } };

const amount = z.number().min(0).optional();
const span = z.strictObject({ days: amount, hours: amount, minutes: amount, seconds: amount });

/** The sandbox's controls over HTTP: JSON in and out, for programs on this machine only. */
export function createAdmin(sandbox: SandboxControls): Hono<Env> {
  const { clock, faults } = sandbox;
  const app = new Hono<Env>().basePath(adminPath);
  app.use(marked(() => Date.parse(clock.show().now)));
  app.use(async (http, next) => {
    const reason = refusal(http.req.raw, http.env.peer);
    if (reason !== undefined) throw new Refusal("FORBIDDEN", [{ path: [], message: reason }]);
    await next();
  });
  app.use(bodyLimit({ maxSize: maxDocumentBytes, onError: tooLarge }));

  app.get("/status", (http) => http.json(sandbox.status()));
  app.get("/clock", (http) => http.json(clock.show()));
  app.post("/clock/freeze", (http) => http.json(clock.freeze()));
  app.post("/clock/resume", (http) => http.json(clock.resume()));
  app.post("/clock/advance", async (http) => {
    const given = checked(span, await http.req.text());
    if (Object.keys(given).length === 0) throw new ControlRefused([], noSpan);
    return http.json(clock.advance(milliseconds(given)));
  });
  app.post("/clock/set", async (http) => {
    const { time } = checked(z.strictObject({ time: dateTime("The time to go to") }), await http.req.text());
    return http.json(clock.set(Date.parse(time)));
  });

  app.get("/faults", (http) => http.json(faults.list()));
  app.post("/faults", async (http) => http.json(faults.add(json(await http.req.text()))));
  app.delete("/faults", (http) => http.json({ cleared: faults.clear() }));
  app.delete("/faults/:id{[1-9]\\d*}", (http) => {
    const cleared = faults.clear(Number(http.req.param("id")));
    if (cleared === 0) throw new Refusal("NOT_FOUND");
    return http.json({ cleared });
  });

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
  app.get("/requests", (http) => {
    const limit = Number(http.req.query("limit") ?? requestLog.shown);
    if (!Number.isInteger(limit) || limit < 1) throw refused("limit", "must be a whole number of at least 1");
    return http.json(sandbox.requests(limit));
  });

  app.notFound((http) => errorAnswer(http, new Refusal("NOT_FOUND")));
  app.onError((error, http) => errorAnswer(http, asRefusal(error)));
  return app;
}

const noSpan = `the body must say how long: at least one of ${Object.keys(span.shape).join(", ")}`;

const asRefusal = (error: Error): Error =>
  error instanceof ControlRefused
    ? new Refusal(
        "BAD_REQUEST",
        error.issues.length > 0 ? error.issues : [{ path: [], message: error.message }],
      )
    : error;

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ControlRefused([], `the body is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function checked<Shape extends z.ZodObject>(input: Shape, text: string): z.output<Shape> {
  const result = check({ input }, json(text));
  if (!result.ok) {
    throw new ControlRefused(
      result.issues.map(({ path, message }) => ({ path, message: message.replace("operation", "order") })),
    );
  }
  return result.value;
}

const milliseconds = ({ days = 0, hours = 0, minutes = 0, seconds = 0 }: z.output<typeof span>): number =>
  Math.round((days * 24 + hours) * hourMs + (minutes * 60 + seconds) * secondMs);
