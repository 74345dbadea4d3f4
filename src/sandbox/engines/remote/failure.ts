import { asRecord, asText, parseJson } from "../../../core/json.ts";
import { errorBodyOf } from "../../errors.ts";
import { type Exchange, PlainResponse } from "../../http/exchange.ts";
import { withCommonError } from "../../inference-errors.ts";
import type { Engine } from "../../tables/engines.ts";

/**
 * An engine failed, cannot be reached, or cannot do what was requested. `status` is the status of the sandbox's
 * response.
 */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
  readonly status: number;
  /** The engine's own error, in the common format of inference servers. */
  readonly own: Readonly<Record<string, unknown>>;
  /** The engine's Retry-After header. */
  readonly retryAfter: string | undefined;

  constructor(
    message: string,
    {
      status = 500,
      text = "",
      retryAfter,
    }: { status?: number; text?: string; retryAfter?: string | undefined } = {},
  ) {
    super(message);
    this.status = status;
    const body = asRecord(parseJson(text));
    this.own = { ...body, ...asRecord(body.detail), ...asRecord(body.error) };
    this.retryAfter = retryAfter;
  }
}

/** The name of an engine in messages, without an article. */
export const nameOf = ({ kind, url }: Pick<Engine, "kind" | "url">): string => `${kind} engine at ${url}`;

/** A message that starts with the name of the engine. */
export const sentenceAbout = (engine: Pick<Engine, "kind" | "url">, rest: string): string =>
  `The ${nameOf(engine)} ${rest}`;

/** What to do about an engine that does not work. */
export const advice = ({ kind }: Pick<Engine, "kind">): string =>
  `Start it, or remove it with \`gpuctl sandbox engine clear ${kind}\`.`;

/**
 * Returns the result of `work` or, if the engine fails, the response to send instead. The body of this response has the
 * error in the service's format and in the common format of inference servers.
 */
export async function orFailure<Result>(
  exchange: Exchange,
  work: () => Promise<Result>,
): Promise<Result | PlainResponse> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const { message, status, own, retryAfter } = error;
    const body = { code: errorBodyOf(status).code, message, issues: [] };
    exchange.problem = body;
    const { error: common } = withCommonError(body, status);
    const type = asText(own.type) || common.type;
    const engines = { ...common, type, param: own.param ?? null, code: own.code ?? null };
    return PlainResponse.json(
      { ...body, error: engines },
      { status, headers: { ...(retryAfter !== undefined && { "retry-after": retryAfter }) } },
    );
  }
}
