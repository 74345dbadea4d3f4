/** A failed answer, whatever its shape was. */
export interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly issues: readonly unknown[];
}

/** Longest piece of an answer that is not JSON to be shown, in characters. */
const longestText = 300;

/**
 * Reads the body of a failed answer: the service's own `{code, message, issues}`, then the shapes that
 * inference servers and proxies send, then plain text or HTML, cut short.
 */
export function readFailure(status: number, text: string): Failure {
  const body = parse(text);
  return { status, code: `HTTP_${status}`, issues: [], message: plainText(text, status), ...known(body) };
}

function known(body: unknown): Partial<Omit<Failure, "status">> {
  if (!isObject(body)) return {};
  if (typeof body.code === "string" && typeof body.message === "string") {
    return {
      code: body.code,
      message: body.message,
      issues: Array.isArray(body.issues) ? body.issues : [],
    };
  }
  if (isObject(body.error)) return withCode(body.error);
  if (typeof body.error === "string") return { message: body.error };
  if (typeof body.message === "string") return withCode(body);
  if (Array.isArray(body.detail)) return { message: "Invalid input data", issues: body.detail.map(located) };
  if (typeof body.detail === "string") return { message: body.detail };
  return {};
}

/** `{message, type, param, code}`: the code may be a string, a number or null; the type stands in for it. */
function withCode(error: Record<string, unknown>): { message: string; code?: string; issues?: unknown[] } {
  const code = [error.code, error.type].find((part) => typeof part === "string" || typeof part === "number");
  return {
    message: typeof error.message === "string" ? error.message : JSON.stringify(error),
    ...(code !== undefined && { code: String(code) }),
    ...(typeof error.param === "string" && {
      issues: [{ path: error.param.split("."), message: error.message }],
    }),
  };
}

/** `{loc, msg, type}` as `{path, message}`; `loc` starts with where the input travelled. */
function located(detail: unknown): unknown {
  if (!isObject(detail) || !Array.isArray(detail.loc)) return detail;
  const [place, ...rest] = detail.loc;
  const path = place === "body" || place === "query" ? rest : detail.loc;
  return { path, message: detail.msg };
}

function plainText(text: string, status: number): string {
  const visible = text
    .replace(/<(script|style)[\s\S]*?(?:<\/\1>|$)/gi, " ")
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (visible === "") return `the service answered ${status} with an empty body`;
  return visible.length > longestText ? `${visible.slice(0, longestText)}…` : visible;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
