import type { IncomingMessage } from "node:http";
import { responseLimits } from "../../../contract/plain/response-limits.ts";
import { codeOf, reasonOf } from "../../../core/errors.ts";
import { asRecord } from "../../../core/json.ts";
import { createRedactor, type Redactor } from "../../../core/redact.ts";
import { readFailure } from "../../../core/responses/failure-body.ts";
import { fitsHeader } from "../../../core/urls.ts";
import type { Engine } from "../../tables/engines.ts";
import { advice, EngineFailure, nameOf, sentenceAbout } from "./failure.ts";

/** An engine, and the environment variables of this process, one of which may hold the engine's key. */
export interface EngineAccess {
  readonly engine: Engine;
  readonly environment: (name: string) => string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface EngineRequest {
  /** The path below the URL of the engine, such as `/chat/completions`. */
  readonly path: string;
  /** The JSON body of a POST request. Without it, a GET request is sent. */
  readonly body?: string;
}

/**
 * Timeouts in milliseconds: for connecting, and for the time without a byte from the engine. Loading a large model
 * can take minutes.
 */
export const engineTimeouts = { connect: 10_000, silence: 30 * 60_000 } as const;

/**
 * Sends a request to an engine and returns its successful response, whose body is not read yet. Does not follow
 * redirects or use a proxy. Does not use the global `fetch`, which gives up after five minutes without a response.
 * @throws EngineFailure if the engine's key cannot be used, or if the engine cannot be reached, redirects, or responds
 * with an error
 */
export async function sendToEngine(
  { engine, environment, signal }: EngineAccess,
  { path, body }: EngineRequest,
  timeouts: Readonly<Record<"connect" | "silence", number>> = engineTimeouts,
): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const key = keyOf(engine, environment);
  const url = new URL(engine.url + path);
  const isSecure = url.protocol === "https:";
  const { request } = await (isSecure ? import("node:https") : import("node:http"));
  const headers = {
    "user-agent": "gpuctl-sandbox",
    accept: "*/*",
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    }),
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      method: body === undefined ? "GET" : "POST",
      headers,
      agent: false,
      ...(signal && { signal }),
    };
    const sent = request(url, options, (received) => {
      sent.on("timeout", () => received.destroy(new Error("it stopped sending data")));
      resolve(received);
    });
    const connecting = setTimeout(() => sent.destroy(new Error("connecting timed out")), timeouts.connect);
    const connected = () => clearTimeout(connecting);
    sent.once("socket", (socket) => socket.once(isSecure ? "secureConnect" : "connect", connected));
    sent.once("close", connected);
    sent.setTimeout(timeouts.silence, () => sent.destroy(new Error("it did not respond in time")));
    sent.on("error", reject);
    sent.end(body);
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw new EngineFailure(
      `${sentenceAbout(engine, `is not available: ${connectionProblem(error)}`)}. ${advice(engine)}`,
    );
  });
  const { statusCode: status = 0, headers: received } = response;
  const { redact, add } = createRedactor();
  add(key);
  // The content type is passed on and named in messages, so the key is masked in it.
  if (received["content-type"] !== undefined) received["content-type"] = redact(received["content-type"]);
  if (status >= 200 && status < 300) return response;
  throw failureOf(engine, response, await readStart(response), redact);
}

/**
 * The engine's key. Throws if the engine's variable has the same value as GPUCTL_API_KEY, so that the service's key
 * is not sent to an engine. Does not compare the value with keys that are stored in profiles.
 * @throws EngineFailure also if the variable is not set, or does not hold a key
 */
function keyOf(
  { apiKeyEnv, ...engine }: Engine,
  environment: EngineAccess["environment"],
): string | undefined {
  if (apiKeyEnv === undefined) return undefined;
  const key = environment(apiKeyEnv)?.trim() ?? "";
  const problem =
    key === ""
      ? "is not set"
      : key === environment("GPUCTL_API_KEY")?.trim()
        ? "holds your service API key, which is not sent to engines"
        : fitsHeader(key)
          ? undefined
          : "does not hold a key";
  if (problem === undefined) return key;
  throw new EngineFailure(
    `The environment variable ${apiKeyEnv}, which should hold the key of the ${nameOf(engine)}, ${problem}.`,
  );
}

const problems: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "it closed the connection",
  ENOTFOUND: "its host name cannot be resolved",
  EAI_AGAIN: "its host name cannot be resolved",
  EHOSTUNREACH: "its host cannot be reached",
  ENETUNREACH: "its network cannot be reached",
  ETIMEDOUT: "connecting timed out",
};

const connectionProblem = (error: unknown): string =>
  problems[codeOf(error)] ?? (reasonOf(error) || codeOf(error));

/**
 * The error for a response that is not a success. If the engine denies access, the status of the error is 500, because
 * the request to the sandbox was authorized.
 */
function failureOf(
  engine: Engine,
  { statusCode: status = 0, headers }: IncomingMessage,
  body: string,
  redact: Redactor["redact"],
): EngineFailure {
  const text = redact(body);
  const about = (rest: string) => sentenceAbout(engine, rest);
  if (status < 400) {
    const to = redact(headers.location ?? "");
    const target = URL.canParse(to, engine.url) ? new URL(to, engine.url).origin : "another address";
    return new EngineFailure(
      about(
        `redirects to ${target}; gpuctl does not follow redirects. Set the engine's URL to the target with \`gpuctl sandbox engine set\`.`,
      ),
    );
  }
  if (status === 401 || status === 403) {
    const hint =
      engine.apiKeyEnv === undefined
        ? "If the engine requires a key, set the engine again with `--api-key-env NAME`, where NAME is the environment variable that holds the key."
        : `Check the key in ${engine.apiKeyEnv}.`;
    return new EngineFailure(about(`responded ${status}: it denies access. ${hint}`));
  }
  const { message, issues } = readFailure(status, text);
  const details = issues.map(asRecord).filter(({ message: said }) => said !== undefined && said !== message);
  const fields = details.map(({ path, message: said }) => `${[path].flat().join(".")}: ${said}`);
  return new EngineFailure(about(`responded ${status}: ${[message, ...fields].join("; ")}`), {
    status,
    text,
    retryAfter: headers["retry-after"] && redact(headers["retry-after"]),
  });
}

/** The start of the body of a failed response, as text. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  // If the connection breaks, the part that arrived is enough.
  await readInto(chunks, response, responseLimits.failure).catch(() => {});
  return Buffer.concat(chunks).toString();
}

/** The chunks of a response. If it repeats the engine's key, the key is masked. */
export async function* bodyOf(
  { engine, environment }: EngineAccess,
  response: IncomingMessage,
): AsyncGenerator<Buffer> {
  const { add, stream } = createRedactor();
  const key = keyOf(engine, environment);
  if (key === undefined) return yield* response;
  add(key);
  const masked = stream();
  for await (const chunk of response) yield Buffer.from(masked.add(chunk.toString("latin1")), "latin1");
  const rest = masked.end();
  if (rest !== "") yield Buffer.from(rest, "latin1");
}

/** Collects a body, and stops reading after more than `limit` bytes. Returns the number of bytes. */
async function readInto(chunks: Buffer[], body: AsyncIterable<Buffer>, limit: number): Promise<number> {
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) break;
  }
  return length;
}

/**
 * Reads a whole response.
 * @throws EngineFailure if it is too large or incomplete
 */
export async function readFrom(access: EngineAccess, response: IncomingMessage): Promise<Buffer> {
  const { engine, signal } = access;
  const limit = responseLimits.body.generate;
  const chunks: Buffer[] = [];
  const length = await readInto(chunks, bodyOf(access, response), limit).catch((error) => {
    signal?.throwIfAborted();
    throw new EngineFailure(
      sentenceAbout(engine, `did not finish its response: ${connectionProblem(error)}.`),
    );
  });
  if (length <= limit) return Buffer.concat(chunks);
  throw new EngineFailure(sentenceAbout(engine, `sent a response of more than ${limit / 1024 / 1024} MiB.`));
}

/**
 * Sends a request and returns the JSON of the response.
 * @throws EngineFailure if the engine fails, or does not respond with JSON
 */
export async function jsonFromEngine(access: EngineAccess, request: EngineRequest): Promise<unknown> {
  const response = await sendToEngine(access, request);
  return parseFrom(access, response, await readFrom(access, response));
}

/** The JSON of a body. @throws EngineFailure if it is not JSON */
export function parseFrom({ engine }: EngineAccess, { headers }: IncomingMessage, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    const type = headers["content-type"] ?? "an unknown type";
    throw new EngineFailure(
      sentenceAbout(engine, `responded with ${type} instead of JSON. Check that the URL points to its API.`),
    );
  }
}
