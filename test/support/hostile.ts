import { isRecord } from "../../src/core/json.ts";
import type { Responder, SeenRequest } from "./cli.ts";

/**
 * A window title, colors, a cleared screen, C1 controls, DEL, bidirectional controls and marks, line separators, a byte
 * order mark, a return to the line's start, a backspace and the start of a device control string.
 */
export const hostile =
  "\u001b]0;title\u0007\u001b[38;5;123m\u001b[2J\u009b32m\u009dx\u009c\u007f\u202e\u2066\u061c\u200e\u200f\u2028\u2029\ufeff\r\b\u001bP";

/** Characters that a terminal, or the person at it, may misinterpret. */
export const control = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

/**
 * Which part of a response is hostile. "everything": every string. "texts": only texts for people to read, so that
 * commands work as usual. Both also add a hostile field to each object, except in the description. "failures": every
 * request fails, and every text of the error is hostile.
 */
export type Hostility = "everything" | "texts" | "failures";

/** Strings that commands compare or parse, by the names of their fields. */
const meaningful =
  /^(?:id|state|status|.*(?:At|Until|Type|Reason|_reason)|.*Id|region|access|object|role|model|date|month|b64_json|image|images|audio|host|user|publicIp|nextCursor|operationId|\$ref|in|type|format|pattern|method|path|code|openapi|const)$/;

/** The fields of a description that contain texts for people. */
const describes = /^(?:title|summary|description)$/;

/**
 * Serves the sandbox with hostile responses. Removes the hostile text from requests, because commands send back values
 * that they received.
 */
export function hostileResponder(
  sandbox: { readonly fetch: (request: Request) => Promise<Response> },
  hostility: Hostility,
): Responder {
  return async (seen) => {
    if (hostility === "failures") return failure();
    const response = await sandbox.fetch(cleanRequest(seen));
    const type = response.headers.get("content-type") ?? "";
    const isDescription = seen.path.endsWith("/openapi.json");
    const change = (value: unknown) => changed(value, hostility, isDescription);
    if (/json/.test(type)) return withBody(response, JSON.stringify(change(await response.json())));
    if (!/event-stream/.test(type)) return response;
    const text = await response.text();
    return withBody(
      response,
      text.replace(
        /^data: (\{.*)$/gm,
        (_, data: string) => `data: ${JSON.stringify(change(JSON.parse(data)))}`,
      ),
    );
  };
}

function changed(value: unknown, hostility: Hostility, isDescription: boolean, name = ""): unknown {
  if (typeof value === "string") {
    const isText = isDescription ? describes.test(name) : !meaningful.test(name);
    return hostility === "everything" || isText ? `${value}${hostile}end` : value;
  }
  if (Array.isArray(value)) return value.map((item) => changed(item, hostility, isDescription, name));
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).map(([key, inner]) => [
    key,
    changed(inner, hostility, isDescription, key),
  ]);
  const more = isDescription ? [] : [[`more${hostile}`, hostile]];
  return Object.fromEntries([...fields, ...more]);
}

const failure = (): Response =>
  Response.json(
    { code: `NO${hostile}`, message: `no${hostile}`, issues: [{ path: [hostile], message: hostile }] },
    // A header may hold only Latin-1.
    {
      status: 422,
      headers: { sunset: `soon${hostile.replace(/[\u0100-\uffff\r]/g, "")}`, deprecation: "true" },
    },
  );

function withBody({ status, headers }: Response, body: string): Response {
  const kept = new Headers(headers);
  kept.delete("content-length");
  return new Response(body, { status, headers: kept });
}

function cleanRequest({ method, path, query, headers, body }: SeenRequest): Request {
  const url = new URL(clean(decodeURIComponent(path)), "http://sandbox.test");
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, clean(value));
  return new Request(url, {
    method,
    headers,
    ...(body !== undefined && {
      body: typeof body === "string" ? body : JSON.stringify(JSON.parse(JSON.stringify(body), cleanValue)),
    }),
  });
}

const clean = (text: string): string => text.replaceAll(`${hostile}end`, "");
const cleanValue = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? clean(value) : value;
