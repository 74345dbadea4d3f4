import { type Assembled, createAssembler } from "../../client/completion/assemble.ts";
import { completionChunks, completionFailure } from "../../client/completion/chunks.ts";
import type { Piece } from "../../client/completion/thinking.ts";
import type { Stream } from "../../client/stream.ts";
import type { Context } from "../../command-kit/context.ts";
import { budgetOf, warnOfUnknownPrice } from "../../command-kit/inference.ts";
import type { InputOf } from "../../contract/index.ts";
import { EmptyResult } from "../../core/errors.ts";
import { scalarText } from "../../core/json.ts";
import { receivedJson, serviceErrorIn } from "../../core/responses/success.ts";
import { type Received, ServiceError, StreamTruncated } from "../../core/service-errors.ts";
import { dollarText, type Money } from "../../core/values/money.ts";
import {
  costOfTokens,
  isTokenCount,
  outputTokens,
  parsePrices,
  type TokenPrices,
} from "../../core/values/prices.ts";

export interface CompletionRequest {
  /** The body, without `stream` and `stream_options`. */
  readonly input: InputOf<"createChatCompletion">;
  /** Whether the completion is streamed. Default: true. */
  readonly stream?: boolean;
  /** Whether to ask the service for the number of tokens, which a stream does not include by default. */
  readonly usage?: boolean;
  /** Whether a completion without text, such as one with only tool calls, throws `EmptyResult`. Default: true. */
  readonly needsText?: boolean;
  /**
   * Stops only this completion. Iterating then throws the signal's reason, or `InterruptedWrite` if the request may
   * have been sent and no text has arrived.
   */
  readonly signal?: AbortSignal;
}

/** The result of a completion. It is partial until iteration has ended without an error. */
export interface CompletionSummary extends Assembled {
  /** False if the completion was cut off, interrupted, or is still arriving. */
  readonly complete: boolean;
  /** The requested model, or else the one that the service reports; empty if neither is known. */
  readonly model: string;
  /** The cost at the prices in the profile. Undefined if the price or the number of tokens is unknown. */
  readonly cost: Money | undefined;
}

/**
 * A completion as it arrives. Iterate once, either over its pieces or over the received events. The request is sent
 * when iteration starts. If the service rejects a request that has `stream_options`, the request is sent again without
 * that field.
 *
 * Before the first event, iterating throws what `call` and `stream` throw. After that it throws:
 * - `StreamTruncated` if the stream breaks, if it ends with neither `[DONE]` nor a finish reason, if an event cannot be
 *   read or has the field `error`, or if the service reports a failure after some content
 * - `InterruptedWrite` if a stream is interrupted before its first text, and the reason of the signal if it is
 *   interrupted later
 * - `EmptyResult` if the response contains nothing to print, or only a failure
 */
export interface Completion extends AsyncIterable<Piece> {
  readonly events: () => AsyncIterable<unknown>;
  /** What has arrived so far, even after an error. */
  readonly summary: () => CompletionSummary;
}

type Needs = Pick<Context, "call" | "stream" | "progress" | "settings" | "say">;

/**
 * Asks for one completion. Nothing is sent before the completion is iterated. Throws `UsageError` if the prices in the
 * profile are invalid.
 */
export function complete(request: CompletionRequest, context: Needs): Completion {
  const { input, stream = true, needsText = true } = request;
  const prices = pricesOf(context.settings);
  const assembler = createAssembler();
  let isComplete = false;
  const assertUsable = (received: Received | undefined, error?: string): void => {
    const content = assembler.content();
    if (content === undefined) {
      throw new EmptyResult(error ?? "the response is not a chat completion", received);
    }
    if (error === undefined && needsText && content === "other") {
      throw new EmptyResult("the response has no text", received);
    }
  };
  async function* arriving(): AsyncGenerator<{ readonly body?: unknown; readonly pieces: readonly Piece[] }> {
    warnOfUnknownPrice("of a chat", context);
    const hideProgress = showProgress(context);
    try {
      const { chunks, received } = await open(request, context);
      for await (const { body, isWhole } of chunks) {
        const pieces = assembler.add(body);
        const error = isWhole ? completionFailure(body) : serviceErrorIn(body);
        if (error !== undefined) assertUsable(received(), error);
        if (pieces.length > 0) await hideProgress();
        yield { body, pieces };
        // In a stream, `completionChunks` throws for this failure.
        if (error !== undefined && !stream)
          throw new StreamTruncated(error, assembler.content() === "text" ? undefined : received());
      }
      yield { pieces: assembler.flush() };
      const all = received();
      assertUsable(all && { ...all, complete: true });
      isComplete = true;
    } finally {
      assembler.flush();
      await hideProgress();
    }
  }
  return {
    async *[Symbol.asyncIterator]() {
      for await (const { pieces } of arriving()) yield* pieces;
    },
    async *events() {
      for await (const { body } of arriving()) if (body !== undefined) yield body;
    },
    summary: () => {
      const assembled = assembler.assembled();
      return {
        ...assembled,
        complete: isComplete,
        // With --no-validate, the requested model may have any type.
        model: scalarText(input.model) || (assembled.model ?? ""),
        cost: costOf(assembled, input.model, prices),
      };
    },
  };
}

/** The cost at the price of the requested model or, if that has no price, of the model that the service reports. */
function costOf({ usage, model }: Assembled, asked: string, all: Prices): Money | undefined {
  const prices = all.get(asked) ?? all.get(model ?? asked);
  return prices && usage && costOfTokens(prices, usage);
}

type Prices = ReadonlyMap<string, TokenPrices>;

/** The prices in the profile, by model. Throws `UsageError` if they are invalid. */
function pricesOf({ profileValues, profile }: Context["settings"]): Prices {
  const text = profileValues["chat.prices"];
  return text === undefined ? new Map() : parsePrices(text, `chat.prices of profile "${profile}"`);
}

/**
 * Throws `UsageError` if the prices or the cost limit in the profile are invalid, for example because the user edited
 * the configuration file. Call this before a question is stored: an error after the answer has arrived would lose what
 * was paid for.
 */
export function assertMoneySettings({ settings }: Pick<Context, "settings">): void {
  pricesOf(settings);
  budgetOf(settings);
}

type Chunk = { readonly body: unknown; readonly isWhole: boolean };

interface OpenResponse {
  /** The events, or the whole response as the only item. */
  readonly chunks: AsyncIterable<Chunk> | Iterable<Chunk>;
  readonly received: () => Received | undefined;
}

async function open(request: CompletionRequest, context: Needs): Promise<OpenResponse> {
  const { input, stream = true, usage = false, signal } = request;
  if (!stream) {
    // `--param stream=true` would make the service respond with events.
    const { stream: _, stream_options: __, ...whole } = input;
    const response = await context.call("createChatCompletion", whole, { ...(signal && { signal }) });
    return { chunks: [{ body: response, isWhole: true }], received: () => receivedJson(response) };
  }
  const withoutUsage = { ...input, stream: true };
  const asksForUsage = usage && !withoutUsageFields.has(context.stream);
  const body = asksForUsage ? { ...withoutUsage, stream_options: { include_usage: true } } : withoutUsage;
  const options = { ...(signal && { signal }) };
  const events = await context.stream("createChatCompletion", body, options).catch(async (error: unknown) => {
    const isRejected = error instanceof ServiceError && (error.status === 400 || error.status === 422);
    if (!asksForUsage || !isRejected) throw error;
    const accepted = await context.stream("createChatCompletion", withoutUsage, options);
    withoutUsageFields.add(context.stream);
    return accepted;
  });
  return { chunks: completionChunks(events), received: events.received };
}

/**
 * The `stream` functions of services that rejected `stream_options`. Later requests with these functions leave that
 * field out.
 */
const withoutUsageFields = new WeakSet<Stream>();

/** Until the returned function is called, shows that a response is being generated. */
function showProgress({ progress }: Pick<Context, "progress">): () => Promise<void> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const shown = progress("Thinking", () => ended);
  return () => {
    end();
    return shown;
  };
}

/** What happened to an incomplete answer, and what helps, by the finish reason. */
export const incompleteFor: Readonly<Record<string, { readonly happened: string; readonly hint?: string }>> =
  {
    length: {
      happened: "was cut at the token limit",
      hint: "--max-tokens (in a conversation, `/set max_tokens`) raises it.",
    },
    model_length: { happened: "was cut because it reached the model's limit" },
    content_filter: { happened: "was withheld in part by the service" },
  };

/**
 * If the answer is incomplete, reports why. If `usage` is true, also reports the number of tokens and the cost. If
 * `toolCalls` is true, also reports the functions that the model wants to call.
 */
export function reportCompletion(
  summary: CompletionSummary,
  { usage: withUsage, toolCalls = true }: { readonly usage: boolean; readonly toolCalls?: boolean },
  { say }: Pick<Context, "say">,
): void {
  const { finish, usage, cost } = summary;
  if (toolCalls) reportToolCalls(summary, { say });
  const { happened, hint } = incompleteFor[finish ?? ""] ?? {};
  if (happened !== undefined) say(`The answer ${happened}${hint === undefined ? "." : `; ${hint}`}`);
  if (!withUsage) return;
  const counts = [usage?.prompt_tokens, outputTokens(usage ?? {})];
  const [input, output] = counts.map((count) => (isTokenCount(count) ? count : "?"));
  const price = cost === undefined ? "" : `, ${dollarText(cost)}`;
  if (!counts.some(isTokenCount)) say("The service reported no token counts.");
  else say(`Tokens: ${input} in, ${output} out${price}`);
}

/** Reports the functions that the model wants to call, one per line. */
export function reportToolCalls(
  { toolCalls = [] }: Pick<CompletionSummary, "toolCalls">,
  { say }: Pick<Context, "say">,
): void {
  for (const { name, arguments: input } of toolCalls) say(`Tool call: ${name || "unnamed"} ${input || "{}"}`);
}
