import { faultHeader, ignoredFieldsHeader, replyHeader } from "../../core/sandbox.ts";
import { servedOperations } from "../assumed/index.ts";
import { type PlainRequest, PlainResponse } from "./exchange.ts";

/** A header of the sandbox's responses. Only some internal errors lack it. */
export const sandboxHeader = "X-Gpuctl-Sandbox";

/** The headers that pages of other origins can read. */
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
/** The methods that pages of other origins can use. */
const methods = new Set(["HEAD", ...Object.values(servedOperations).map(({ method }) => method)]);

export const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders.join(","),
} as const;

/** The response to OPTIONS, by which a browser asks whether a page of another origin may send a request. */
export function preflightResponse(request: PlainRequest): PlainResponse {
  const wanted = request.header("access-control-request-headers");
  const headers = {
    ...corsHeaders,
    "access-control-allow-methods": [...methods].join(","),
    ...(wanted && {
      "access-control-allow-headers": wanted
        .split(",")
        .map((name) => name.trim())
        .join(","),
      vary: "Access-Control-Request-Headers",
    }),
  };
  return new PlainResponse(null, { status: 204, headers });
}
