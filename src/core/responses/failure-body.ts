import { asList, asText, isNestedBeyond, isRecord, parseJson } from "../json.ts";

/** The content of a failed response, independent of its format. */
interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly issues: readonly unknown[];
}

/** The maximum number of characters that are shown of a body in an unknown format. */
const maxTextLength = 300;

/** JSON in a failed response is not interpreted if it is nested more deeply than this. */
export const maxLevels = 100;

/**
 * Reads the body of a failed response. Tries the service's own `{code, message, issues}` first, and then the formats
 * that inference servers and proxies send. Any other body is shown as truncated text, without HTML tags.
 */
export function readFailure(status: number, text: string): Failure {
  return {
    status,
    code: `HTTP_${status}`,
    issues: [],
    message: plainText(text),
    ...knownFormat(parseJson(text)),
  };
}

function knownFormat(body: unknown): Partial<Omit<Failure, "status">> {
  if (!isRecord(body) || isNestedBeyond(body, maxLevels)) return {};
  if (typeof body.code === "string" && typeof body.message === "string") {
    return { code: body.code, message: body.message, issues: asList(body.issues) };
  }
  if (isRecord(body.error)) return inferenceFailure(body.error);
  if (typeof body.error === "string") {
    // Some servers send the kind of error in `error`, and the message in another field.
    const texts = [body.message, body.detail, body.errors].map(asText);
    return { message: texts.find((text) => text !== "") ?? body.error };
  }
  if (typeof body.message === "string") return inferenceFailure(body);
  if (Array.isArray(body.detail)) {
    return { message: "Invalid input data", issues: body.detail.map(issueOfDetail) };
  }
  if (typeof body.detail === "string") return { message: body.detail };
  if (isRecord(body.detail)) return knownFormat(body.detail);
  return {};
}

/** Reads `{message, type, param, code}`. If `code` is neither a string nor a number, `type` is used instead. */
function inferenceFailure(error: Readonly<Record<string, unknown>>): Partial<Omit<Failure, "status">> {
  const code = [error.code, error.type].find((part) => typeof part === "string" || typeof part === "number");
  return {
    message: typeof error.message === "string" ? error.message : JSON.stringify(error),
    ...(code !== undefined && { code: String(code) }),
    ...(typeof error.param === "string" && {
      issues: [{ path: error.param.split("."), message: error.message }],
    }),
  };
}

/**
 * Converts `{loc, msg, type}` to `{path, message}`. The first element of `loc` names a part of the request, such as
 * `body` or `header`. `body` and `query` are left out, so that `path` starts with the name of the field.
 */
function issueOfDetail(detail: unknown): unknown {
  if (!isRecord(detail) || !Array.isArray(detail.loc)) return detail;
  const [part, ...rest] = detail.loc;
  const path = part === "body" || part === "query" ? rest : detail.loc;
  return { path, message: detail.msg };
}

function plainText(text: string): string {
  const visible = text
    .replace(/<(script|style)[\s\S]*?(?:<\/\1>|$)/gi, " ")
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (visible === "") return "empty response body";
  return visible.length > maxTextLength ? `${visible.slice(0, maxTextLength)}…` : visible;
}
