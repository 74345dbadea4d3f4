import type { MiddlewareHandler } from "hono";
import type { Clock } from "./clock.ts";

/** Marks every answer as one of the sandbox. */
export const sandboxHeader = "X-Gpuctl-Sandbox";

/** Marks the answers, and dates them by the sandbox's clock: that of the machine that serves them may be another. */
export const marked =
  (clock: Clock): MiddlewareHandler =>
  async (http, next) => {
    await next();
    http.header(sandboxHeader, "1");
    http.header("Date", new Date(clock()).toUTCString());
  };
